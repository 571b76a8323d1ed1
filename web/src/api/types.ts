import type { components } from "./schema";

type Schemas = components["schemas"];

export type Me = Schemas["Me"];
export type SetupState = Schemas["SetupState"];
export type SetupRequest = Schemas["SetupRequest"];
export type SessionOptions = Schemas["SessionOptions"];
export type SignInRequest = Schemas["SignInRequest"];
export type Session = Schemas["Session"];
export type Device = Schemas["Device"];
export type User = Schemas["User"];
export type Workspace = Schemas["Workspace"];
export type Key = Schemas["Key"];
export type KeyCreated = Schemas["KeyCreated"];
export type AuditEntry = Schemas["AuditEntry"];
/** An event as it travels: facts carry a cursor, droppable deltas do not. */
export type LiveEvent = Omit<Schemas["Event"], "cursor"> & { cursor?: number };
export type Job = Schemas["Job"];
export type JobKind = Schemas["JobKind"];
export type Schedule = Schemas["Schedule"];
export type NewSchedule = Schemas["NewScheduleRequest"];
export type Config = Schemas["Config"];
export type ConfigValue = Schemas["ConfigValue"];
export type System = Schemas["System"];
export type Check = Schemas["Check"];
export type Backup = Schemas["Backup"];
export type Agent = Schemas["Agent"];
export type Conversation = Schemas["Conversation"];
export type Message = Schemas["Message"];
export type Part = Schemas["Part"];
export type Run = Schemas["Run"];
export type Partial = Schemas["Partial"];
export type Trouble = Schemas["Trouble"];
export type ErrorBody = Schemas["ErrorDetail"];
export type Role = NonNullable<Schemas["UserRequest"]["role"]>;
export type NewUser = Schemas["NewUserRequest"];
export type UserChange = Schemas["UserRequest"];
export type NewKey = Schemas["NewKeyRequest"];
export type Provider = Schemas["Provider"];
export type ProviderAccount = Schemas["ProviderAccount"];
export type Model = Schemas["Model"];
export type FoundModels = Schemas["FoundModels"];
export type Mode = Schemas["ModeRequest"]["mode"];

/** One page of a list, as every list route answers it. */
export type Page<T> = { data: T[]; has_more: boolean; next_cursor?: string };
