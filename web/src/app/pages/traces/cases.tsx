import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { catalogueQuery } from "@/features/models/queries";
import { CaseList } from "@/features/traces/cases/list";
import { traces } from "@/lib/messages/traces";
import { PageBody } from "@/ui/page";
import { useCan } from "../../session";
import { TracesBar } from "./tabs";

/** Requests that are kept to be tried again. */
export default function CasesRoute() {
  const can = useCan();
  const models = useQuery({ ...catalogueQuery, enabled: can("models:read") });
  return (
    <>
      <TracesBar />
      <PageBody>
        <CaseList
          models={models.data?.data ?? []}
          mayTry={can("runs:write")}
          compare={(one, run, children) => (
            <Link to="/traces/compare" search={{ a: one.run, b: run }} className="btn ghost">
              {children}
            </Link>
          )}
          begin={
            <Link to="/traces" className="btn solid">
              {traces.back}
            </Link>
          }
        />
      </PageBody>
    </>
  );
}
