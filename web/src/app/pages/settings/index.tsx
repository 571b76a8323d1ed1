import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { ChevronLeft } from "lucide-react";
import type { ReactNode } from "react";
import { agentsQuery } from "@/features/agents/queries";
import { ConfigList } from "@/features/config/config";
import { ConfigFileEditor } from "@/features/config/file";
import { ChangePassword, Devices, Profile, Sessions } from "@/features/identity/account";
import { Audit } from "@/features/identity/audit";
import { Keys } from "@/features/identity/keys";
import { Passkeys } from "@/features/identity/passkeys";
import { Totp } from "@/features/identity/totp";
import { Users } from "@/features/identity/users";
import { Workspaces } from "@/features/identity/workspaces";
import { JobKinds, Jobs } from "@/features/jobs/jobs";
import { Schedules } from "@/features/jobs/schedules";
import { Catalogue } from "@/features/models/catalogue";
import { Providers } from "@/features/models/providers";
import { Routes } from "@/features/models/routes";
import { Notifications } from "@/features/push/notifications";
import { Backups } from "@/features/system/backups";
import { Health } from "@/features/system/health";
import { ServerLogs } from "@/features/system/logs";
import { Posture } from "@/features/system/posture";
import { common } from "@/lib/messages/common";
import { settings } from "@/lib/messages/settings";
import { Boundary } from "@/ui/boundary";
import { PageBody, Section, TopBar } from "@/ui/page";
import { Segmented } from "@/ui/segmented";
import { Empty } from "@/ui/states";
import { ShortcutList } from "../../help";
import { usePhone } from "../../media";
import { useCan, useMe, useSwitchWorkspace } from "../../session";
import { Appearance } from "./appearance";
import { type SettingsPage, settingsPages } from "./pages";

/** Settings: a list of pages, and one of them. On a phone the list is a page of its own. */
export default function SettingsRoute() {
  const { page: id } = useParams({ strict: false });
  const can = useCan();
  const phone = usePhone();
  const allowed = settingsPages.filter((page) => !page.needs || can(page.needs));
  const page = allowed.find((one) => one.id === (id ?? (phone ? "" : "account")));
  if (phone && !id) {
    return (
      <>
        <TopBar title={settings.title} />
        <div className="flex-1 overflow-y-auto p-3">
          <PageList pages={allowed} />
        </div>
      </>
    );
  }
  const back = phone && (
    <Link to="/settings" className="btn ghost icon -ml-2" aria-label={common.actions.back}>
      <ChevronLeft aria-hidden="true" />
    </Link>
  );
  return (
    <>
      <TopBar title={phone && page ? page.label : settings.title} before={back} />
      <div className="flex min-h-0 flex-1">
        {!phone && (
          <div className="w-[212px] flex-none overflow-y-auto border-r border-line p-2.5 max-lg:w-[180px]">
            <PageList pages={allowed} current={page?.id} />
          </div>
        )}
        <div className="flex min-w-0 flex-1 flex-col">
          <PageBody>
            {page ? (
              <Content page={page} />
            ) : (
              <Empty title={common.errors.notFound} body={common.errors.notFoundHint} />
            )}
          </PageBody>
        </div>
      </div>
    </>
  );
}

function PageList({ pages, current }: { pages: readonly SettingsPage[]; current?: string | undefined }) {
  const groups = [...new Set(pages.map((page) => page.group))];
  return (
    <nav aria-label={settings.title} className="flex flex-col gap-px">
      {groups.map((group) => (
        <div key={group} className="flex flex-col gap-px">
          <div className="sec">{settings.groups[group]}</div>
          {pages
            .filter((page) => page.group === group)
            .map((page) => (
              <Link
                key={page.id}
                to="/settings/$page"
                params={{ page: page.id }}
                className="nav"
                aria-current={page.id === current ? "page" : undefined}
              >
                {page.label}
              </Link>
            ))}
        </div>
      ))}
    </nav>
  );
}

function Content({ page }: { page: SettingsPage }) {
  const phone = usePhone();
  return (
    <>
      <header className={phone ? "" : "mb-1"}>
        {!phone && <h2 className="text-h2 font-semibold tracking-tight">{page.label}</h2>}
        <p className="text-fg-3">{page.intro}</p>
      </header>
      <Boundary key={page.id}>{render[page.id]()}</Boundary>
    </>
  );
}

const render: Record<SettingsPage["id"], () => ReactNode> = {
  account: () => <AccountPage />,
  notifications: () => <NotificationsPage />,
  appearance: () => <Appearance />,
  keyboard: () => (
    <Section
      title={settings.pages.keyboard}
      actions={
        <Link to="/settings/$page" params={{ page: "appearance" }} className="link text-small">
          {settings.appearance.shortcuts}
        </Link>
      }
    >
      <ShortcutList />
    </Section>
  ),
  users: () => <UsersPage />,
  keys: () => <KeysPage />,
  models: () => <ModelsPage />,
  workspaces: () => <WorkspacesPage />,
  audit: () => <AuditPage />,
  jobs: () => <JobsPage />,
  backup: () => <BackupPage />,
  config: () => <ConfigPage />,
  posture: () => <PosturePage />,
  health: () => <HealthPage />,
  logs: () => <ServerLogs />,
};

function AccountPage() {
  const me = useMe();
  return (
    <>
      <Profile key={me.user.id} me={me} />
      {me.has_password !== false && <ChangePassword me={me} />}
      <Passkeys me={me} />
      <Totp me={me} />
      <Sessions />
      <Devices />
    </>
  );
}

function NotificationsPage() {
  return <Notifications user={useMe().user.id} />;
}

function UsersPage() {
  return <Users me={useMe()} mayChange={useCan()("users:write")} />;
}

function KeysPage() {
  const { create } = useSearch({ strict: false });
  const navigate = useNavigate();
  return (
    <Keys
      me={useMe()}
      mayChange={useCan()("keys:write")}
      creating={create === true}
      onCreating={(open) =>
        void navigate({
          to: "/settings/$page",
          params: { page: "keys" },
          search: open ? { create: true } : {},
          replace: true,
        })
      }
    />
  );
}

function ModelsPage() {
  return (
    <>
      <Providers mayChange={useCan()("models:write")} />
      <Routes />
      <Catalogue />
    </>
  );
}

function WorkspacesPage() {
  return <Workspaces me={useMe()} mayChange={useCan()("workspaces:write")} onSwitch={useSwitchWorkspace()} />;
}

function AuditPage() {
  const { actor, action, resource, result, since, until } = useSearch({ strict: false });
  const filter = { actor, action, resource, result, since, until };
  const navigate = useNavigate();
  const key = JSON.stringify(filter);
  return (
    <Audit
      key={Object.values(filter).some(Boolean) ? "filtered" : "all"}
      filter={filter}
      onFilter={(next) => {
        if (JSON.stringify({ ...filter, ...next }) === key && Object.keys(next).length > 0) return;
        const search = Object.fromEntries(Object.entries(next).filter(([, value]) => value));
        void navigate({ to: "/settings/$page", params: { page: "audit" }, search, replace: true });
      }}
    />
  );
}

function JobsPage() {
  const can = useCan();
  const mayChange = can("jobs:write");
  const agents = useQuery({ ...agentsQuery, enabled: can("agents:read") });
  return (
    <>
      <Schedules
        mayChange={mayChange}
        mayCreate={can("system:write")}
        agents={agents.data?.data.map((one) => ({ value: one.name, label: one.title || one.name })) ?? []}
      />
      <Jobs mayChange={mayChange} />
      <JobKinds mayChange={mayChange} />
    </>
  );
}

function BackupPage() {
  return <Backups mayChange={useCan()("system:write")} />;
}

function ConfigPage() {
  const { q, view = "list" } = useSearch({ strict: false });
  const navigate = useNavigate();
  const mayChange = useCan()("config:write");
  const show = (search: { q?: string; view?: "file" }) =>
    void navigate({ to: "/settings/$page", params: { page: "config" }, search, replace: true });
  const words = settings.config.views;
  return (
    <>
      <div className="flex">
        <Segmented
          label={words.label}
          value={view}
          options={(["list", "file"] as const).map((value) => ({ value, label: words[value] }))}
          onChange={(next) => show(next === "file" ? { view: "file" } : {})}
        />
      </div>
      {view === "file" ? (
        <ConfigFileEditor mayChange={mayChange} />
      ) : (
        <ConfigList
          mayChange={mayChange}
          search={q ?? ""}
          onSearch={(text) => show(text ? { q: text } : {})}
        />
      )}
    </>
  );
}

function PosturePage() {
  return (
    <Posture
      link={(href, children) => (
        <Link to={href} className="btn">
          {children}
        </Link>
      )}
    />
  );
}

function HealthPage() {
  return <Health mayChange={useCan()("system:write")} />;
}
