import { useNavigate, useSearch } from "@tanstack/react-router";
import type { Filter } from "@/features/costs/queries";
import { RecordDrawer } from "@/features/costs/record-drawer";
import { Records, wireFilter } from "@/features/costs/records";
import { ExportMenu } from "./export-menu";
import { CostsFrame } from "./frame";

/** Every attempt to reach a model; the filters and the open record are in the address. */
export default function RecordsRoute() {
  const { record, ...filter }: Filter & { record?: string } = useSearch({ from: "/shell/costs/records" });
  const navigate = useNavigate();
  const show = (search: Filter & { record?: string }) =>
    void navigate({ to: "/costs/records", search, replace: true });
  return (
    <CostsFrame tools={<ExportMenu filter={wireFilter(filter)} />}>
      <div className="flex min-h-0 flex-1">
        <Records
          filter={filter}
          onFilter={show}
          open={record}
          onOpen={(id) => show(id === record ? filter : { ...filter, record: id })}
        />
        {record && <RecordDrawer key={record} id={record} onClose={() => show(filter)} />}
      </div>
    </CostsFrame>
  );
}
