/** Formulas, diagrams and pictures inside an answer. */
export const drawn = {
  formula: "Formula",
  copyFormula: "Copy the formula's source",
  formulaFailed: "This formula cannot be drawn.",
  diagram: "Diagram",
  copyDiagram: "Copy the diagram's source",
  diagramFailed: (why: string) =>
    why ? `This diagram cannot be drawn. ${why}` : "This diagram cannot be drawn.",
  pictures: (tool: string) => `Pictures from ${tool}`,
  picture: (tool: string, n: number, of: number) =>
    of > 1 ? `Picture ${n} of ${of} from ${tool}` : `Picture from ${tool}`,
  enlarge: (what: string) => `Show larger: ${what}`,
  gone: "Not kept any more",
  larger: "Show larger",
  source: "Show source",
  drawing: "Show diagram",
};
