import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Model } from "@/api/types";
import { models as words } from "@/lib/messages/models";
import { Pill } from "@/ui/bits";
import { Input } from "@/ui/field";
import { Section } from "@/ui/page";
import { Empty, View } from "@/ui/states";
import { type Column, Table } from "@/ui/table";
import { priceText, tokensText } from "./price";
import { catalogueQuery } from "./queries";

const columns: Column<Model>[] = [
  {
    head: words.model,
    cell: (model) => (
      <span className="flex flex-col">
        <span className="flex items-center gap-2 font-medium">
          {model.name ?? model.id}
          {model.default && <Pill tone="ok">{words.isDefault}</Pill>}
        </span>
        <span className="mono text-small text-fg-3">
          {model.targets ? words.routeTo(model.targets.join(", ")) : model.id}
        </span>
      </span>
    ),
  },
  {
    head: words.context,
    right: true,
    cell: (model) => <span className="num">{tokensText(model.context)}</span>,
  },
  {
    head: words.price,
    cell: (model) =>
      model.targets ? (
        ""
      ) : (
        <span className="flex flex-wrap items-center gap-2">
          {priceText(model)}
          {model.price?.pretend && (
            <span className="pill run" title={words.pretendTip}>
              {words.pretend}
            </span>
          )}
        </span>
      ),
  },
  {
    head: words.can,
    cell: (model) => (
      <span className="text-fg-3">{model.can.map((one) => words.abilities[one] ?? one).join(", ")}</span>
    ),
  },
];

/** The models that can be asked for, with what they cost. */
export function Catalogue() {
  const query = useQuery(catalogueQuery);
  const [search, setSearch] = useState("");
  const find = (
    <Input
      type="search"
      className="w-56 max-w-full"
      aria-label={words.search}
      placeholder={words.search}
      value={search}
      onChange={(event) => setSearch(event.target.value)}
    />
  );
  const empty = <Empty title={words.catalogueEmpty} body={words.catalogueEmptyBody} />;
  return (
    <Section title={words.catalogue} note={words.catalogueNote} flush actions={find}>
      <View query={query} isEmpty={(page) => page.data.length === 0} empty={empty}>
        {(page) => (
          <Table
            label={words.catalogue}
            rows={page.data.filter((model) => matches(model, search))}
            id={(model) => model.id}
            columns={columns}
          />
        )}
      </View>
    </Section>
  );
}

function matches(model: Model, search: string): boolean {
  const text = `${model.id} ${model.name ?? ""} ${model.can.join(" ")}`.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
