/** The HTTP contract in the shape openapi-typescript prints. Generated files replace this one. */

type Page<T> = { data: T[]; has_more: boolean; next_cursor?: string };
type Params = { query?: Record<string, unknown>; path?: Record<string, string>; header?: Record<string, string> };
type Answer<T> = { headers: Record<string, unknown>; content: { "application/json": T } };
type Nothing = { headers: Record<string, unknown>; content?: never };
type Failure = Answer<components["schemas"]["Error"]>;
type Op<Ok, P extends Params = Record<never, never>, Body = never> = {
  parameters: (P extends { path: infer Path } ? { path: Path } : { path?: never }) & {
    query?: P extends { query?: infer Query } ? Query : never;
    header?: never;
    cookie?: never;
  };
  responses: { 200: [Ok] extends [never] ? Nothing : Answer<Ok>; default: Failure };
} & ([Body] extends [never] ? { requestBody?: never } : { requestBody: { content: { "application/json": Body } } });
type List = { limit?: number; cursor?: string };
type S = components["schemas"];

export interface components {
  schemas: {
    Error: {
      error: {
        code: string;
        message: string;
        hint?: string;
        param?: string;
        details?: unknown;
        retryable: boolean;
        request_id: string;
      };
    };
    SetupState: { needed: boolean; workspace: string; version: string };
    SetupRequest: { code: string; user: string; name?: string; password: string; workspace?: string };
    SessionOptions: { password: boolean; oidc: boolean; oidc_name?: string };
    SignInRequest: {
      user: string;
      password: string;
      totp?: string;
      recovery_code?: string;
      trust_device?: boolean;
    };
    WorkspaceRef: { id: string; name: string; role?: string; created_at: string };
    Workspace: { id: string; name: string; created_at: string; members?: number };
    Account: { id: string; user: string; name: string; email?: string; totp: boolean; created_at: string };
    Me: {
      user: S["Account"];
      workspace: S["WorkspaceRef"];
      workspaces: S["WorkspaceRef"][];
      role: string;
      permissions: string[];
      via?: string;
      recovery_codes_left?: number;
      has_password?: boolean;
    };
    Session: {
      id: string;
      current: boolean;
      created_at: string;
      last_seen_at: string;
      expires_at: string;
      ip?: string;
      user_agent?: string;
    };
    Device: { id: string; name: string; created_at: string; last_seen_at: string; expires_at: string };
    TotpStart: { secret: string; uri: string };
    RecoveryCodes: { recovery_codes: string[] };
    User: {
      id: string;
      user: string;
      name: string;
      email?: string;
      role: string;
      totp: boolean;
      disabled: boolean;
      created_at: string;
      last_seen_at?: string;
    };
    Key: {
      id: string;
      name: string;
      prefix: string;
      scopes: string[];
      created_at: string;
      expires_at?: string;
      last_used_at?: string;
      allow_ips?: string[];
      revoked_at?: string;
    };
    KeyCreated: S["Key"] & { key: string };
    AuditEntry: {
      id: string;
      at: string;
      actor: string;
      actor_name?: string;
      action: string;
      resource: string;
      result: string;
      ip?: string;
      request_id?: string;
      before?: unknown;
      after?: unknown;
    };
    AuditVerification: { ok: boolean; entries: number; broken_at?: string; message?: string };
    Event: { cursor?: number; channel: string; kind: string; at: string; data: Record<string, unknown> };
    Job: {
      id: string;
      kind: string;
      state: string;
      attempt: number;
      max_attempts: number;
      done: number;
      total: number;
      note?: string;
      error?: string;
      cancelling: boolean;
      run_at: string;
      created_at: string;
      started_at?: string;
      finished_at?: string;
    };
    JobKind: { kind: string; paused: boolean; concurrency: number; max_attempts: number; counts: Record<string, number> };
    Schedule: {
      id: string;
      name: string;
      kind: string;
      cron: string;
      time_zone: string;
      enabled: boolean;
      next_at?: string;
      last_at?: string;
      created_at: string;
    };
    ConfigValue: {
      key: string;
      value: string;
      default: string;
      origin: S["ConfigOrigin"];
      live: boolean;
      secret?: boolean;
      type: string;
      env: string;
      doc: string;
    };
    ConfigOrigin: { source: string; where?: string };
    ConfigProblem: { where: string; file?: string; line?: number; column?: number; key?: string; message: string; hint?: string };
    ConfigDiff: { key: string; old: string; new: string; origin: S["ConfigOrigin"] };
    Config: {
      file?: string;
      etag?: string;
      values: S["ConfigValue"][];
      problems: S["ConfigProblem"][];
      pending: S["ConfigDiff"][];
    };
    ConfigSaved: {
      change: { live: S["ConfigDiff"][]; needs_restart: S["ConfigDiff"][] };
      etag: string;
      shadowed?: Record<string, S["ConfigOrigin"]>;
    };
    Check: { name: string; status: string; message?: string; since?: string };
    System: {
      version: string;
      go_version?: string;
      started_at: string;
      mode: string;
      data_dir?: string;
      checks: S["Check"][];
      database: { engine: string; size_bytes: number; version?: string };
      disk: { free_bytes: number; total_bytes: number };
      counts: Record<string, number>;
    };
    Backup: { id: string; path: string; size_bytes: number; created_at: string; kind?: string };
    Agent: { name: string; title: string; description: string; model: string; hue: string };
    Conversation: {
      id: string;
      user: string;
      agent: string;
      title: string;
      visibility: string;
      pinned: boolean;
      archived: boolean;
      created_at: string;
      updated_at: string;
    };
    Part: { kind: string; text?: string; name?: string; url?: string; media_type?: string; is_error?: boolean };
    Message: {
      id: string;
      conversation: string;
      parent?: string;
      run?: string;
      role: string;
      author: string;
      state: string;
      model?: string;
      parts: S["Part"][];
      created_at: string;
    };
    ChatRequest: { message: string; conversation?: string };
    ChatStarted: { run: S["Run"]; conversation: S["Conversation"]; message: S["Message"] };
    Trouble: { code: string; message: string; hint?: string; retryable: boolean };
    Partial: { attempt: number; seq: number; text: string };
    Run: {
      id: string;
      conversation: string;
      user: string;
      agent: string;
      model: string;
      state: string;
      question: string;
      answer: string;
      job: string;
      attempt: number;
      error?: S["Trouble"];
      created_at: string;
      started_at?: string;
      first_token_at?: string;
      finished_at?: string;
      partial?: S["Partial"];
    };
  };
}

export interface paths {
  "/api/v1/setup": { get: Op<S["SetupState"]>; post: Op<S["Me"], Record<never, never>, S["SetupRequest"]> };
  "/api/v1/session/options": { get: Op<S["SessionOptions"]> };
  "/api/v1/session": {
    get: Op<S["Me"]>;
    post: Op<S["Me"], Record<never, never>, S["SignInRequest"]>;
    delete: Op<never>;
  };
  "/api/v1/session/workspace": { post: Op<S["Me"], Record<never, never>, { workspace: string }> };
  "/api/v1/sessions": { get: Op<Page<S["Session"]>, { query?: List }> };
  "/api/v1/sessions/{session}": { delete: Op<never, { path: { session: string } }> };
  "/api/v1/account": { patch: Op<S["Account"], Record<never, never>, { name?: string; email?: string }> };
  "/api/v1/account/password": { post: Op<never, Record<never, never>, { current: string; new: string }> };
  "/api/v1/account/totp": {
    post: Op<S["TotpStart"]>;
    put: Op<S["RecoveryCodes"], Record<never, never>, { code: string }>;
    delete: Op<never, Record<never, never>, { password: string }>;
  };
  "/api/v1/account/devices": { get: Op<Page<S["Device"]>, { query?: List }> };
  "/api/v1/account/devices/{device}": { delete: Op<never, { path: { device: string } }> };
  "/api/v1/users": {
    get: Op<Page<S["User"]>, { query?: List }>;
    post: Op<S["User"], Record<never, never>, { user: string; name?: string; password: string; role: string }>;
  };
  "/api/v1/users/{user}": {
    patch: Op<
      S["User"],
      { path: { user: string } },
      { name?: string; role?: string; disabled?: boolean; password?: string }
    >;
    delete: Op<never, { path: { user: string } }>;
  };
  "/api/v1/workspaces": {
    get: Op<Page<S["Workspace"]>, { query?: List }>;
    post: Op<S["Workspace"], Record<never, never>, { name: string }>;
  };
  "/api/v1/workspaces/{workspace}": {
    patch: Op<S["Workspace"], { path: { workspace: string } }, { name: string }>;
    delete: Op<never, { path: { workspace: string } }>;
  };
  "/api/v1/keys": {
    get: Op<Page<S["Key"]>, { query?: List }>;
    post: Op<
      S["KeyCreated"],
      Params,
      { name: string; scopes?: string[]; expires_at?: string; allow_ips?: string[] }
    >;
  };
  "/api/v1/keys/{key}": { delete: Op<never, { path: { key: string } }> };
  "/api/v1/keys/{key}/rotate": { post: Op<S["KeyCreated"], { path: { key: string } }, { overlap: string }> };
  "/api/v1/audit": {
    get: Op<
      Page<S["AuditEntry"]>,
      {
        query?: List & {
          actor?: string;
          action?: string;
          resource?: string;
          result?: string;
          since?: string;
          until?: string;
        };
      }
    >;
  };
  "/api/v1/audit/verify": { get: Op<S["AuditVerification"]> };
  "/api/v1/events": { get: Op<Page<S["Event"]>, { query?: { channel?: string; after?: number; limit?: number } }> };
  "/api/v1/jobs": { get: Op<Page<S["Job"]>, { query?: List & { state?: string; kind?: string } }> };
  "/api/v1/jobs/{job}/cancel": { post: Op<S["Job"], { path: { job: string } }> };
  "/api/v1/jobs/{job}/retry": { post: Op<S["Job"], { path: { job: string } }> };
  "/api/v1/jobs/kinds": { get: Op<Page<S["JobKind"]>> };
  "/api/v1/jobs/kinds/{kind}/pause": { post: Op<S["JobKind"], { path: { kind: string } }> };
  "/api/v1/jobs/kinds/{kind}/resume": { post: Op<S["JobKind"], { path: { kind: string } }> };
  "/api/v1/jobs/schedules": { get: Op<Page<S["Schedule"]>, { query?: List }> };
  "/api/v1/jobs/schedules/{schedule}": {
    patch: Op<S["Schedule"], { path: { schedule: string } }, { enabled?: boolean }>;
  };
  "/api/v1/config": {
    get: Op<S["Config"]>;
    patch: Op<S["ConfigSaved"], Record<never, never>, { set: Record<string, unknown>; etag?: string }>;
  };
  "/api/v1/system": { get: Op<S["System"]> };
  "/api/v1/system/mode": { post: Op<S["System"], Record<never, never>, { mode: string }> };
  "/api/v1/system/backups": { get: Op<Page<S["Backup"]>>; post: Op<S["Backup"]> };
  "/api/v1/agents": { get: Op<Page<S["Agent"]>, { query?: List }> };
  "/api/v1/agents/{agent}/chat": { post: Op<S["ChatStarted"], { path: { agent: string } }, S["ChatRequest"]> };
  "/api/v1/conversations": {
    get: Op<Page<S["Conversation"]>, { query?: List & { archived?: boolean } }>;
    post: Op<S["Conversation"], Record<never, never>, { title?: string; agent?: string }>;
  };
  "/api/v1/conversations/{conversation}": {
    get: Op<S["Conversation"], { path: { conversation: string } }>;
    patch: Op<S["Conversation"], { path: { conversation: string } }, { title?: string; archived?: boolean }>;
    delete: Op<never, { path: { conversation: string } }>;
  };
  "/api/v1/conversations/{conversation}/messages": {
    get: Op<Page<S["Message"]>, { path: { conversation: string }; query?: List }>;
  };
  "/api/v1/runs": { get: Op<Page<S["Run"]>, { query?: List & { state?: string; conversation?: string } }> };
  "/api/v1/runs/{run}": { get: Op<S["Run"], { path: { run: string } }> };
  "/api/v1/runs/{run}/cancel": { post: Op<S["Run"], { path: { run: string } }> };
}
