/** Formulas, diagrams and pictures inside an answer. */
export const drawn = {
  formula: "Formula",
  copyFormula: "Copy the formula's source",
  formulaFailed: "This formula cannot be drawn.",
  diagram: "Diagram",
  copyDiagram: "Copy the diagram's source",
  diagramFailed: (why: string) =>
    why ? `This diagram cannot be drawn. ${why}` : "This diagram cannot be drawn.",
  larger: "Show larger",
  source: "Show source",
  picture: "Show diagram",
};
