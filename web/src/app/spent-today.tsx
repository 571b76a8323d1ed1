import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { todayQuery } from "@/features/costs/queries";
import { shell } from "@/lib/messages/shell";
import { money } from "@/lib/money";
import { useCan } from "./session";

/** What was spent since midnight; nothing is said before there is something. */
export default function SpentToday() {
  const can = useCan();
  const { data } = useQuery({ ...todayQuery(), enabled: can("costs:read") });
  if (!data || data.price === 0) return null;
  const amount = money(data.price);
  return (
    <Link to="/costs" className="health num whitespace-nowrap" aria-label={shell.openToday(amount)}>
      {shell.today(amount)}
    </Link>
  );
}
