import { Download } from "lucide-react";
import { exportUrl, type Filter } from "@/features/costs/queries";
import { costs } from "@/lib/messages/costs";
import { Menu, MenuItem } from "@/ui/menu";

/** The records of what is shown, as a file. */
export function ExportMenu({ filter }: { filter: Filter }) {
  return (
    <Menu
      align="end"
      trigger={
        <button type="button" className="btn" aria-label={costs.export}>
          <Download aria-hidden="true" />
          <span className="max-sm:hidden">{costs.export}</span>
        </button>
      }
    >
      <MenuItem onSelect={() => save(exportUrl(filter, "csv"))}>{costs.exportCsv}</MenuItem>
      <MenuItem onSelect={() => save(exportUrl(filter, "jsonl"))}>{costs.exportJsonl}</MenuItem>
    </Menu>
  );
}

function save(href: string) {
  const link = document.createElement("a");
  link.href = href;
  link.download = "";
  link.click();
}
