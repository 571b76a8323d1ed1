/** Generated from the route table of internal/api by `make generate`; do not edit. */

export interface paths {
  "/livez": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Whether the process lives. */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Status"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/readyz": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Whether new work is taken. */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Status"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/healthz": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Whether everything that must work does. */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Status"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/version": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** What runs here. */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Version"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/metrics": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Metrics in the text format of Prometheus. */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "text/plain": string;
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/openapi.json": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** This description. */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": string;
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/docs": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** The API reference as a page. */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "text/html": string;
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/system": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Health, versions, disk, database and what is going on. */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["System"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/system/mode": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Take new work, or not. */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** A fresh random text; the same request with the same key within a day gets the same answer instead of being done twice. */
          "Idempotency-Key"?: string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["ModeRequest"];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["ModeState"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/system/backups": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Backups in the data directory, newest first. */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["BackupPage"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    /** Take a backup now, beside the running work. */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** A fresh random text; the same request with the same key within a day gets the same answer instead of being done twice. */
          "Idempotency-Key"?: string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Backup"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/system/restore": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Replace everything by a backup; what is there now is backed up first. */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: {
        content: {
          "application/json": components["schemas"]["RestoreRequest"];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Restored"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/system/posture": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** How safe this server and workspace are set up, and what would make them safer. */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Posture"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/system/logs": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** The last lines of the server's log, the oldest first; secrets are hidden. */
    get: {
      parameters: {
        query?: {
          /** At least as bad as this. */
          level?: "debug" | "info" | "warn" | "error";
          /** The newest of them; 0: 200. */
          limit?: number;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["ServerLogs"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/setup": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Whether Fluxway still needs its first administrator. */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["SetupState"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    /** Make the first administrator and workspace, with the code that the server printed. */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["SetupRequest"];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Me"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/session/options": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Which ways to sign in exist. */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["SessionOptions"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/session": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Who is calling, where, and what they may do. */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Me"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    /** Sign in with a password and, where it is on, a second factor. */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["SignInRequest"];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Me"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    /** Sign out. */
    delete: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        204: {
          headers: { [name: string]: unknown };
          content?: never;
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/session/workspace": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Switch to another workspace. */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["SwitchRequest"];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Me"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/oidc/start": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Leave for the outside issuer to sign in there. */
    get: {
      parameters: {
        query?: {
          /** The path of ours to come back to. */
          return_to?: string;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        302: {
          headers: { [name: string]: unknown };
          content: {
            "text/html": string;
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/oidc/callback": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Come back from the outside issuer. */
    get: {
      parameters: {
        query?: {
          state?: string;
          code?: string;
          error?: string;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        302: {
          headers: { [name: string]: unknown };
          content: {
            "text/html": string;
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/sessions": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Where the caller is signed in. */
    get: {
      parameters: {
        query?: {
          /** How many rows at the most, 1 to 500; 50 if left out. */
          limit?: number;
          /** next_cursor of the page before. */
          cursor?: string;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["SessionPage"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/sessions/{session}": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    post?: never;
    /** End one of the caller's sessions. */
    delete: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          session: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        204: {
          headers: { [name: string]: unknown };
          content?: never;
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/account": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    /** Change the caller's own name or address. */
    patch: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: {
        content: {
          "application/json": components["schemas"]["AccountRequest"];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Account"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    trace?: never;
  };
  "/api/v1/account/password": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Change the caller's own password; other sessions end. */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** A fresh random text; the same request with the same key within a day gets the same answer instead of being done twice. */
          "Idempotency-Key"?: string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["PasswordRequest"];
        };
      };
      responses: {
        204: {
          headers: { [name: string]: unknown };
          content?: never;
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/account/totp": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    /** Turn the second factor on with a first code. */
    put: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["TotpRequest"];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["RecoveryCodes"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    /** Begin to set up a second factor. */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["TOTPStart"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    /** Turn the second factor off. */
    delete: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["TotpOffRequest"];
        };
      };
      responses: {
        204: {
          headers: { [name: string]: unknown };
          content?: never;
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/account/devices": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Browsers that may skip the second factor. */
    get: {
      parameters: {
        query?: {
          /** How many rows at the most, 1 to 500; 50 if left out. */
          limit?: number;
          /** next_cursor of the page before. */
          cursor?: string;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["DevicePage"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    /** Stop trusting all browsers. */
    delete: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        204: {
          headers: { [name: string]: unknown };
          content?: never;
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/account/devices/{device}": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    post?: never;
    /** Stop trusting one browser. */
    delete: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          device: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        204: {
          headers: { [name: string]: unknown };
          content?: never;
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/users": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Who belongs to the workspace. */
    get: {
      parameters: {
        query?: {
          /** How many rows at the most, 1 to 500; 50 if left out. */
          limit?: number;
          /** next_cursor of the page before. */
          cursor?: string;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["UserPage"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    /** Add someone to the workspace. */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** A fresh random text; the same request with the same key within a day gets the same answer instead of being done twice. */
          "Idempotency-Key"?: string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["NewUserRequest"];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["User"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/users/{user}": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** One user of the workspace. */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          user: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["User"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    /** Take someone out of the workspace. */
    delete: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          user: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        204: {
          headers: { [name: string]: unknown };
          content?: never;
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    options?: never;
    head?: never;
    /** Change someone's role, name, address or password. */
    patch: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          user: string;
        };
        cookie?: never;
      };
      requestBody?: {
        content: {
          "application/json": components["schemas"]["UserRequest"];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["User"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    trace?: never;
  };
  "/api/v1/users/{user}/totp": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    post?: never;
    /** Turn off the second factor of someone who lost it. */
    delete: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          user: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        204: {
          headers: { [name: string]: unknown };
          content?: never;
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/workspaces": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** The workspaces the caller belongs to. */
    get: {
      parameters: {
        query?: {
          /** How many rows at the most, 1 to 500; 50 if left out. */
          limit?: number;
          /** next_cursor of the page before. */
          cursor?: string;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["WorkspacePage"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    /** Make a workspace. */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** A fresh random text; the same request with the same key within a day gets the same answer instead of being done twice. */
          "Idempotency-Key"?: string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["NewWorkspaceRequest"];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Workspace"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/workspaces/{workspace}": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    post?: never;
    /** Delete a workspace: members, sessions and keys go at once, and nothing in it can be reached any more. */
    delete: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          workspace: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        204: {
          headers: { [name: string]: unknown };
          content?: never;
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    options?: never;
    head?: never;
    /** Rename a workspace. */
    patch: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          workspace: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["WorkspaceRequest"];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Workspace"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    trace?: never;
  };
  "/api/v1/keys": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** API keys: the caller's own, or all for those who manage them. */
    get: {
      parameters: {
        query?: {
          /** How many rows at the most, 1 to 500; 50 if left out. */
          limit?: number;
          /** next_cursor of the page before. */
          cursor?: string;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["KeyPage"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    /** Make an API key; its text is in this answer and never again. */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** A fresh random text; the same request with the same key within a day gets the same answer instead of being done twice. */
          "Idempotency-Key"?: string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["NewKeyRequest"];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["KeyCreated"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/keys/{key}": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** One API key. */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          key: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Key"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    /** Revoke an API key. */
    delete: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          key: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        204: {
          headers: { [name: string]: unknown };
          content?: never;
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/keys/{key}/rotate": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Give an API key a new text; the old one works for a while. */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** A fresh random text; the same request with the same key within a day gets the same answer instead of being done twice. */
          "Idempotency-Key"?: string;
        };
        path: {
          key: string;
        };
        cookie?: never;
      };
      requestBody?: {
        content: {
          "application/json": components["schemas"]["RotateRequest"];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["KeyCreated"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/audit": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Who did what, newest first. */
    get: {
      parameters: {
        query?: {
          /** A user's id or name. */
          actor?: string;
          action?: string;
          resource?: string;
          result?: "ok" | "refused" | "failed";
          /** At or after, RFC 3339. */
          since?: string;
          /** Before, RFC 3339. */
          until?: string;
          /** How many rows at the most, 1 to 500; 50 if left out. */
          limit?: number;
          /** next_cursor of the page before. */
          cursor?: string;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["AuditEntryPage"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/audit/export": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** The audit as a file, oldest first. */
    get: {
      parameters: {
        query?: {
          /** A user's id or name. */
          actor?: string;
          action?: string;
          resource?: string;
          result?: "ok" | "refused" | "failed";
          /** At or after, RFC 3339. */
          since?: string;
          /** Before, RFC 3339. */
          until?: string;
          /** csv if left out. */
          format?: "csv" | "jsonl";
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "text/csv": string;
            "application/x-ndjson": string;
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/audit/verify": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Whether the chain of the audit is whole. */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["AuditVerification"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/session/passkey/begin": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Ask the browser for a passkey, to sign in. */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["PasskeyOptions"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/session/passkey": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Sign in with the passkey that the browser used. */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["PasskeySignInRequest"];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Me"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/session/confirm/begin": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Ask the browser for a passkey of the caller, to confirm something. */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["PasskeyOptions"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/session/confirm": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Confirm with the passkey that the browser used; it counts for an hour in this session. */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["CredentialRequest"];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["ConfirmedAnswer"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/account/passkeys": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** The caller's passkeys. */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["PasskeyPage"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    /** Keep the passkey that the browser made. */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["AddPasskeyRequest"];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Passkey"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/account/passkeys/begin": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Ask the browser to make a passkey for the caller. */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: {
        content: {
          "application/json": components["schemas"]["BeginAddRequest"];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["PasskeyOptions"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/account/passkeys/{passkey}": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    post?: never;
    /** Remove one of the caller's passkeys, unless it is their last way to sign in. */
    delete: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          passkey: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        204: {
          headers: { [name: string]: unknown };
          content?: never;
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    options?: never;
    head?: never;
    /** Rename one of the caller's passkeys. */
    patch: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          passkey: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["RenamePasskeyRequest"];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Passkey"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    trace?: never;
  };
  "/api/v1/account/confirmation": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Whether the caller's approvals are confirmed with a passkey, and whether there can be one here. */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Confirmation"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    /** Change whether the caller's approvals are confirmed with a passkey. */
    put: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: {
        content: {
          "application/json": components["schemas"]["ConfirmationRequest"];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Confirmation"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/users/{user}/passkeys": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    post?: never;
    /** Remove the passkeys of someone who lost them. */
    delete: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          user: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        204: {
          headers: { [name: string]: unknown };
          content?: never;
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/events": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Stored events, the oldest first. */
    get: {
      parameters: {
        query?: {
          /** Channels or patterns: runs/*, conversations/**; all if left out. */
          channel?: string[];
          kind?: string;
          /** Only events with a greater cursor. */
          after?: number;
          /** 100 if left out. */
          limit?: number;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["EventPage"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/events/stream": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Follow events as server-sent events; resumable with Last-Event-ID. */
    get: {
      parameters: {
        query: {
          /** Channels or patterns, separated by commas. */
          channels: string[];
          /** Start behind this cursor; only what comes if left out. */
          after?: number;
        };
        header?: {
          /** What a browser sends when it connects again; wins over after. */
          "Last-Event-Id"?: number;
        };
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "text/event-stream": string;
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/ws": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Follow events over a WebSocket: subscribe, unsubscribe, backfill, ack, ping. */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        101: {
          headers: { [name: string]: unknown };
          content?: never;
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/events/acks": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Events that the caller has still to acknowledge. */
    get: {
      parameters: {
        query?: {
          channel?: string[];
          after?: number;
          limit?: number;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["EventPage"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    /** Acknowledge events, so that they are not delivered again. */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["AckRequest"];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Acked"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/conversations": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Conversations the caller may see, the last used first. */
    get: {
      parameters: {
        query?: {
          /** How many rows at the most, 1 to 500; 50 if left out. */
          limit?: number;
          /** next_cursor of the page before. */
          cursor?: string;
          /** Words in the title. */
          search?: string;
          /** Those put away instead of those in use. */
          archived?: boolean;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["ConversationPage"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    /** Open a conversation. */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** A fresh random text; the same request with the same key within a day gets the same answer instead of being done twice. */
          "Idempotency-Key"?: string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody?: {
        content: {
          "application/json": components["schemas"]["NewConversationRequest"];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Conversation"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/conversations/{conversation}": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** One conversation. */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          conversation: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Conversation"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    /** Delete it and its messages for good. */
    delete: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          conversation: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        204: {
          headers: { [name: string]: unknown };
          content?: never;
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    options?: never;
    head?: never;
    /** Change its title, pin, archive mark or who may see it. */
    patch: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          conversation: string;
        };
        cookie?: never;
      };
      requestBody?: {
        content: {
          "application/json": components["schemas"]["ConversationRequest"];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Conversation"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    trace?: never;
  };
  "/api/v1/conversations/{conversation}/messages": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** What was said, the newest first. */
    get: {
      parameters: {
        query?: {
          /** How many rows at the most, 1 to 500; 50 if left out. */
          limit?: number;
          /** next_cursor of the page before. */
          cursor?: string;
        };
        header?: never;
        path: {
          conversation: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["MessagePage"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/conversations/{conversation}/messages/{message}": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** One message. */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          conversation: string;
          message: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Message"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/conversations/{conversation}/messages/{message}/versions": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** The messages in the same place: edits and repeated answers. */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          conversation: string;
          message: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["MessageVersionPage"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/conversations/search": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Messages with these words, in every conversation the caller may see. */
    get: {
      parameters: {
        query: {
          q: string;
          /** Only in this one. */
          conversation?: string;
          limit?: number;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["FoundPage"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/conversations/{conversation}/export": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** The whole conversation as a file. */
    get: {
      parameters: {
        query?: {
          format?: "json" | "markdown";
        };
        header?: never;
        path: {
          conversation: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": string;
            "text/markdown": string;
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/conversations/import": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Make a conversation of an exported file. */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** A fresh random text; the same request with the same key within a day gets the same answer instead of being done twice. */
          "Idempotency-Key"?: string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody?: {
        content: {
          "application/json": components["schemas"]["ImportRequest"];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Conversation"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/conversations/{conversation}/comments": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** What people remarked, oldest first. */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          conversation: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["CommentPage"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    /** Remark on a message. */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** A fresh random text; the same request with the same key within a day gets the same answer instead of being done twice. */
          "Idempotency-Key"?: string;
        };
        path: {
          conversation: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["CommentRequest"];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Comment"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/conversations/{conversation}/comments/{comment}": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    post?: never;
    /** Take a remark back. */
    delete: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          conversation: string;
          comment: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        204: {
          headers: { [name: string]: unknown };
          content?: never;
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/conversations/{conversation}/presence": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Tell the others who look at it that this window does. */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          conversation: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["PresenceRequest"];
        };
      };
      responses: {
        204: {
          headers: { [name: string]: unknown };
          content?: never;
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/attachments": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Keep a file that a message will use. */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** A fresh random text; the same request with the same key within a day gets the same answer instead of being done twice. */
          "Idempotency-Key"?: string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["AttachRequest"];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Attachment"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/attachments/{attachment}/content": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** The content of a file. */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          attachment: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/octet-stream": string;
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/agents": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** The agents that the caller may use. */
    get: {
      parameters: {
        query?: {
          /** How many rows at the most, 1 to 500; 50 if left out. */
          limit?: number;
          /** next_cursor of the page before. */
          cursor?: string;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["AgentPage"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    /** Make an agent. */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** A fresh random text; the same request with the same key within a day gets the same answer instead of being done twice. */
          "Idempotency-Key"?: string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["NewAgentRequest"];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["AgentSaved"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/agents/presets": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** The definitions in the program and the settings, before the workspace changed them. */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["AgentPage"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/agents/export": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Agents as a file; those that the workspace made or changed, if none are named. */
    get: {
      parameters: {
        query?: {
          /** Names, with commas; left out: all that the workspace made or changed. */
          agents?: string[];
          /** yaml if left out. */
          format?: "yaml" | "json";
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/yaml": string;
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/agents/import": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Take over the agents of a file, all or none: ours, MUXI's or Fluxmaster's, YAML or JSON. */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** A fresh random text; the same request with the same key within a day gets the same answer instead of being done twice. */
          "Idempotency-Key"?: string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["ImportAgentsRequest"];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["AgentImport"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/agents/{agent}": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** One agent. */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          agent: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Agent"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    /** Take an agent out of the workspace; its versions stay. Presets are hidden. */
    delete: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          agent: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        204: {
          headers: { [name: string]: unknown };
          content?: never;
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    options?: never;
    head?: never;
    /** Change an agent with a merge patch: fields left out stay, null takes one back. A preset becomes the workspace's own by it. */
    patch: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          agent: string;
        };
        cookie?: never;
      };
      requestBody?: {
        content: {
          "application/json": components["schemas"]["AgentChangeRequest"];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["AgentSaved"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    trace?: never;
  };
  "/api/v1/agents/{agent}/versions": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** What an agent was, the latest first; also of one that was deleted. */
    get: {
      parameters: {
        query?: {
          /** How many rows at the most, 1 to 500; 50 if left out. */
          limit?: number;
          /** next_cursor of the page before. */
          cursor?: string;
        };
        header?: never;
        path: {
          agent: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["AgentVersionPage"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/agents/{agent}/versions/{version}": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** One version; 0 is the preset or the settings' definition. */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          agent: string;
          version: number;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["AgentVersion"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/agents/{agent}/compare": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** How two versions differ, field by field. */
    get: {
      parameters: {
        query?: {
          /** The one before the present if left out. */
          from?: number;
          /** The present one if left out. */
          to?: number;
        };
        header?: never;
        path: {
          agent: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["AgentComparison"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/agents/{agent}/rollback": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Make an earlier version the present one; 0 goes back to the preset or the settings. */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** A fresh random text; the same request with the same key within a day gets the same answer instead of being done twice. */
          "Idempotency-Key"?: string;
        };
        path: {
          agent: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["RollbackRequest"];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["AgentSaved"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/agents/{agent}/export": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** One agent as a file. */
    get: {
      parameters: {
        query?: {
          /** yaml if left out. */
          format?: "yaml" | "json";
        };
        header?: never;
        path: {
          agent: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/yaml": string;
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/agents/route": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Which agent would take a message, and why. Nothing is started. */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["RouteMessageRequest"];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["AgentChoice"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/agents/{agent}/chat": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Ask an agent something: 202 at once, or the events of the answer with Accept: text/event-stream. */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** A fresh random text; the same request with the same key within a day gets the same answer instead of being done twice. */
          "Idempotency-Key"?: string;
        };
        path: {
          agent: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["ChatRequest"];
        };
      };
      responses: {
        202: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["ChatStarted"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/chat": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Ask whoever fits: the agent that is named, the one of the conversation, or one that is picked. */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** A fresh random text; the same request with the same key within a day gets the same answer instead of being done twice. */
          "Idempotency-Key"?: string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["AskRequest"];
        };
      };
      responses: {
        202: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["ChatStarted"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/runs": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** The caller's runs, newest first; of a conversation, everyone's. */
    get: {
      parameters: {
        query?: {
          /** How many rows at the most, 1 to 500; 50 if left out. */
          limit?: number;
          /** next_cursor of the page before. */
          cursor?: string;
          state?: "queued" | "running" | "waiting" | "finished" | "failed" | "cancelled";
          conversation?: string;
          /** The helpers of this run. */
          parent?: string;
          agent?: string;
          /** Words in what was asked. */
          search?: string;
          since?: string;
          until?: string;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["RunPage"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/runs/{run}": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** One run, with the answer so far. */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          run: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Run"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/runs/{run}/steps": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** What a run did, step by step, oldest first. */
    get: {
      parameters: {
        query?: {
          /** How many rows at the most, 1 to 500; 50 if left out. */
          limit?: number;
          /** next_cursor of the page before. */
          cursor?: string;
        };
        header?: never;
        path: {
          run: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["StepPage"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/runs/{run}/helpers": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** The helpers of a run, oldest first. */
    get: {
      parameters: {
        query?: {
          /** How many rows at the most, 1 to 500; 50 if left out. */
          limit?: number;
          /** next_cursor of the page before. */
          cursor?: string;
        };
        header?: never;
        path: {
          run: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["RunPage"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/runs/{run}/cancel": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Stop a run; what was answered so far is kept. */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** A fresh random text; the same request with the same key within a day gets the same answer instead of being done twice. */
          "Idempotency-Key"?: string;
        };
        path: {
          run: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Run"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/runs/{run}/messages": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Say something to a run that goes on, or to one of its helpers alone. */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** A fresh random text; the same request with the same key within a day gets the same answer instead of being done twice. */
          "Idempotency-Key"?: string;
        };
        path: {
          run: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["SteerRequest"];
        };
      };
      responses: {
        202: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Steered"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/runs/{run}/answer": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Answer a question that a run waits for. */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** A fresh random text; the same request with the same key within a day gets the same answer instead of being done twice. */
          "Idempotency-Key"?: string;
        };
        path: {
          run: string;
        };
        cookie?: never;
      };
      requestBody?: {
        content: {
          "application/json": components["schemas"]["AnswerRequest"];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Run"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/runs/{run}/retry": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Answer the same question again. */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** A fresh random text; the same request with the same key within a day gets the same answer instead of being done twice. */
          "Idempotency-Key"?: string;
        };
        path: {
          run: string;
        };
        cookie?: never;
      };
      requestBody?: {
        content: {
          "application/json": components["schemas"]["AgainRequest"];
        };
      };
      responses: {
        202: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["ChatStarted"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/runs/{run}/replay": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Answer the same question beside the conversation, with the same model or another. */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** A fresh random text; the same request with the same key within a day gets the same answer instead of being done twice. */
          "Idempotency-Key"?: string;
        };
        path: {
          run: string;
        };
        cookie?: never;
      };
      requestBody?: {
        content: {
          "application/json": components["schemas"]["ReplayRequest"];
        };
      };
      responses: {
        202: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["ChatStarted"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/runs/{run}/fork": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Go on from a turn of an earlier run, in another way, beside the conversation. */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** A fresh random text; the same request with the same key within a day gets the same answer instead of being done twice. */
          "Idempotency-Key"?: string;
        };
        path: {
          run: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["ForkRequest"];
        };
      };
      responses: {
        202: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["ChatStarted"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/runs/{run}/continue": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Put the answer of a replay into its conversation, as a branch beside the others, and show it. */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** A fresh random text; the same request with the same key within a day gets the same answer instead of being done twice. */
          "Idempotency-Key"?: string;
        };
        path: {
          run: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Continued"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/conversations/{conversation}/messages/{message}/regenerate": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Answer a message again, beside the old answer. */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** A fresh random text; the same request with the same key within a day gets the same answer instead of being done twice. */
          "Idempotency-Key"?: string;
        };
        path: {
          conversation: string;
          message: string;
        };
        cookie?: never;
      };
      requestBody?: {
        content: {
          "application/json": components["schemas"]["RegenerateRequest"];
        };
      };
      responses: {
        202: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["ChatStarted"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/conversations/{conversation}/messages/{message}/edit": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Say something else in place of a message: a new branch. */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** A fresh random text; the same request with the same key within a day gets the same answer instead of being done twice. */
          "Idempotency-Key"?: string;
        };
        path: {
          conversation: string;
          message: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["EditRequest"];
        };
      };
      responses: {
        202: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["ChatStarted"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/conversations/{conversation}/context": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** What fills the context of the next message, by where it comes from. */
    get: {
      parameters: {
        query?: {
          /** The conversation's if left out. */
          agent?: string;
          /** The agent's own if left out. */
          model?: string;
          /** With what is said, not only how much it is. */
          text?: boolean;
        };
        header?: never;
        path: {
          conversation: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Context"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/broadcast": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Ask several agents the same, each in a conversation of its own. */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** A fresh random text; the same request with the same key within a day gets the same answer instead of being done twice. */
          "Idempotency-Key"?: string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["BroadcastRequest"];
        };
      };
      responses: {
        202: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Broadcast"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/cases": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** The caller's test cases, newest first, each with how it last went. */
    get: {
      parameters: {
        query?: {
          /** How many rows at the most, 1 to 500; 50 if left out. */
          limit?: number;
          /** next_cursor of the page before. */
          cursor?: string;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["CasePage"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    /** Keep a run as a test case: what it answered and called is expected from now on. */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** A fresh random text; the same request with the same key within a day gets the same answer instead of being done twice. */
          "Idempotency-Key"?: string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["KeepRequest"];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Case"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/cases/{case}": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** One test case. */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          case: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Case"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    /** Forget a test case; runs stay. */
    delete: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          case: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        204: {
          headers: { [name: string]: unknown };
          content?: never;
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/cases/{case}/run": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Try a test case, with the same model or another: tools do nothing but give what was recorded. */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** A fresh random text; the same request with the same key within a day gets the same answer instead of being done twice. */
          "Idempotency-Key"?: string;
        };
        path: {
          case: string;
        };
        cookie?: never;
      };
      requestBody?: {
        content: {
          "application/json": components["schemas"]["TryRequest"];
        };
      };
      responses: {
        202: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Trial"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/jobs": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Background work, newest first. */
    get: {
      parameters: {
        query?: {
          /** How many rows at the most, 1 to 500; 50 if left out. */
          limit?: number;
          /** next_cursor of the page before. */
          cursor?: string;
          state?: "queued" | "running" | "paused" | "finished" | "failed" | "cancelled";
          kind?: string;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["JobPage"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/jobs/{job}": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** One job. */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          job: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Job"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/jobs/{job}/cancel": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Stop a job. */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** A fresh random text; the same request with the same key within a day gets the same answer instead of being done twice. */
          "Idempotency-Key"?: string;
        };
        path: {
          job: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Job"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/jobs/{job}/retry": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Try a failed job again. */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** A fresh random text; the same request with the same key within a day gets the same answer instead of being done twice. */
          "Idempotency-Key"?: string;
        };
        path: {
          job: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Job"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/jobs/{job}/pause": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Keep a waiting job from starting. */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** A fresh random text; the same request with the same key within a day gets the same answer instead of being done twice. */
          "Idempotency-Key"?: string;
        };
        path: {
          job: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Job"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/jobs/{job}/resume": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Let a paused job start. */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** A fresh random text; the same request with the same key within a day gets the same answer instead of being done twice. */
          "Idempotency-Key"?: string;
        };
        path: {
          job: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Job"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/jobs/kinds": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** The kinds of work this server does. */
    get: {
      parameters: {
        query?: {
          /** How many rows at the most, 1 to 500; 50 if left out. */
          limit?: number;
          /** next_cursor of the page before. */
          cursor?: string;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["JobKindPage"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/jobs/kinds/{kind}/pause": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Stop starting work of a kind, everywhere. */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** A fresh random text; the same request with the same key within a day gets the same answer instead of being done twice. */
          "Idempotency-Key"?: string;
        };
        path: {
          kind: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["JobKind"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/jobs/kinds/{kind}/resume": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Start work of a kind again. */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** A fresh random text; the same request with the same key within a day gets the same answer instead of being done twice. */
          "Idempotency-Key"?: string;
        };
        path: {
          kind: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["JobKind"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/jobs/schedules": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** What starts again and again. */
    get: {
      parameters: {
        query?: {
          /** How many rows at the most, 1 to 500; 50 if left out. */
          limit?: number;
          /** next_cursor of the page before. */
          cursor?: string;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["SchedulePage"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    /** Start a kind of work again and again. */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** A fresh random text; the same request with the same key within a day gets the same answer instead of being done twice. */
          "Idempotency-Key"?: string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["NewScheduleRequest"];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Schedule"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/jobs/schedules/{schedule}": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** One schedule. */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          schedule: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Schedule"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    /** Remove a schedule. */
    delete: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          schedule: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        204: {
          headers: { [name: string]: unknown };
          content?: never;
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    options?: never;
    head?: never;
    /** Change when a schedule fires, or turn it off. */
    patch: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          schedule: string;
        };
        cookie?: never;
      };
      requestBody?: {
        content: {
          "application/json": components["schemas"]["ScheduleRequest"];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Schedule"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    trace?: never;
  };
  "/api/v1/costs/records": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Every attempt to reach a model, newest first; a price that is not known is null. */
    get: {
      parameters: {
        query?: {
          /** How many rows at the most, 1 to 500; 50 if left out. */
          limit?: number;
          /** next_cursor of the page before. */
          cursor?: string;
          /** Not before this moment. */
          since?: string;
          /** Before this moment. */
          until?: string;
          user?: string;
          key?: string;
          agent?: string;
          run?: string;
          conversation?: string;
          project?: string;
          workflow?: string;
          door?: string;
          model?: string;
          provider?: string;
          outcome?: string;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["RecordPage"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/costs/records/{record}": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** One attempt. */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          record: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Record"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/costs/export": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** The records as a file, oldest first. */
    get: {
      parameters: {
        query?: {
          /** Not before this moment. */
          since?: string;
          /** Before this moment. */
          until?: string;
          user?: string;
          key?: string;
          agent?: string;
          run?: string;
          conversation?: string;
          project?: string;
          workflow?: string;
          door?: string;
          model?: string;
          provider?: string;
          outcome?: string;
          /** csv if left out. */
          format?: "csv" | "jsonl";
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "text/csv": string;
            "application/x-ndjson": string;
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/costs/totals": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** What everything adds up to. */
    get: {
      parameters: {
        query?: {
          /** Not before this moment. */
          since?: string;
          /** Before this moment. */
          until?: string;
          user?: string;
          key?: string;
          agent?: string;
          run?: string;
          conversation?: string;
          project?: string;
          workflow?: string;
          door?: string;
          model?: string;
          provider?: string;
          outcome?: string;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Sums"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/costs/breakdown": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** What was spent by model, provider, agent, user, key and more; the dearest first. */
    get: {
      parameters: {
        query: {
          /** Not before this moment. */
          since?: string;
          /** Before this moment. */
          until?: string;
          user?: string;
          key?: string;
          agent?: string;
          run?: string;
          conversation?: string;
          project?: string;
          workflow?: string;
          door?: string;
          model?: string;
          provider?: string;
          outcome?: string;
          /** model, provider, agent, user, key, door, conversation, outcome, day and more. */
          by: string;
          /** 50 if left out. */
          limit?: number;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["SharePage"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/costs/trend": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** What was spent by hour or day, without gaps. */
    get: {
      parameters: {
        query?: {
          /** Not before this moment. */
          since?: string;
          /** Before this moment. */
          until?: string;
          user?: string;
          key?: string;
          agent?: string;
          run?: string;
          conversation?: string;
          project?: string;
          workflow?: string;
          door?: string;
          model?: string;
          provider?: string;
          outcome?: string;
          /** day if left out. */
          step?: "hour" | "day";
          /** Whose days, such as Europe/Berlin; UTC if left out. */
          zone?: string;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["PointPage"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/costs/burn": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** How fast money goes, and where the month will end. */
    get: {
      parameters: {
        query?: {
          /** Not before this moment. */
          since?: string;
          /** Before this moment. */
          until?: string;
          user?: string;
          key?: string;
          agent?: string;
          run?: string;
          conversation?: string;
          project?: string;
          workflow?: string;
          door?: string;
          model?: string;
          provider?: string;
          outcome?: string;
          /** Whose month, such as Europe/Berlin; UTC if left out. */
          zone?: string;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Burn"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/costs/forecast": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** What the next days will probably cost, with intervals and how wrong it was before. */
    get: {
      parameters: {
        query?: {
          /** Not before this moment. */
          since?: string;
          /** Before this moment. */
          until?: string;
          user?: string;
          key?: string;
          agent?: string;
          run?: string;
          conversation?: string;
          project?: string;
          workflow?: string;
          door?: string;
          model?: string;
          provider?: string;
          outcome?: string;
          /** ensemble if left out. */
          method?: "linear" | "holt" | "ensemble";
          /** 30 if left out. */
          days?: number;
          /** UTC if left out. */
          zone?: string;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Forecast"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/costs/advice": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** What would have cost less, with evidence. */
    get: {
      parameters: {
        query?: {
          /** 30 days ago if left out. */
          since?: string;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["AdvicePage"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/costs/reconcile": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Compare a provider's invoice (CSV) with the ledger. */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["ReconcileRequest"];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Reconciliation"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/costs/budgets": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Budgets, with where each stands. */
    get: {
      parameters: {
        query?: {
          /** How many rows at the most, 1 to 500; 50 if left out. */
          limit?: number;
          /** next_cursor of the page before. */
          cursor?: string;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["BudgetStatusPage"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    /** Limit spending for a scope and a period. */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** A fresh random text; the same request with the same key within a day gets the same answer instead of being done twice. */
          "Idempotency-Key"?: string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["BudgetRequest"];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["BudgetStatus"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/costs/budgets/{budget}": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** One budget. */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          budget: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["BudgetStatus"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    /** Remove a budget; records stay. */
    delete: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          budget: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        204: {
          headers: { [name: string]: unknown };
          content?: never;
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    options?: never;
    head?: never;
    /** Change a budget. */
    patch: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          budget: string;
        };
        cookie?: never;
      };
      requestBody?: {
        content: {
          "application/json": components["schemas"]["BudgetChangeRequest"];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["BudgetStatus"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    trace?: never;
  };
  "/api/v1/costs/budgets/{budget}/grant": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Allow more in the current period. */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** A fresh random text; the same request with the same key within a day gets the same answer instead of being done twice. */
          "Idempotency-Key"?: string;
        };
        path: {
          budget: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["GrantRequest"];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["BudgetStatus"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/costs/budgets/{budget}/projection": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Where a budget will be at the end of its period. */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          budget: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Projection"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/guard/approvals": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Questions to people about calls of tools, the newest first. */
    get: {
      parameters: {
        query?: {
          /** How many rows at the most, 1 to 500; 50 if left out. */
          limit?: number;
          /** next_cursor of the page before. */
          cursor?: string;
          state?: "asked" | "approved" | "denied" | "expired" | "used" | "withdrawn";
          /** ask: whatever waits, budgets included. exception: it was refused and may be let through. budget: a run waits at the limit of a budget. */
          kind?: "ask" | "exception" | "budget";
          run?: string;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["ApprovalPage"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/guard/approvals/{approval}": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** One of them. */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** The id, or the code while it is asked. */
          approval: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Approval"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/guard/approvals/{approval}/answer": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Approve or deny, by the id or the code; the run that waits goes on. */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** A fresh random text; the same request with the same key within a day gets the same answer instead of being done twice. */
          "Idempotency-Key"?: string;
        };
        path: {
          /** The id, or the code while it is asked. */
          approval: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["ApprovalAnswerRequest"];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Approval"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/guard/allowed": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Calls that need not be asked about. */
    get: {
      parameters: {
        query?: {
          /** How many rows at the most, 1 to 500; 50 if left out. */
          limit?: number;
          /** next_cursor of the page before. */
          cursor?: string;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["AllowancePage"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    /** Allow a command, or every call of a tool, for a while. */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** A fresh random text; the same request with the same key within a day gets the same answer instead of being done twice. */
          "Idempotency-Key"?: string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody?: {
        content: {
          "application/json": components["schemas"]["AllowanceRequest"];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Allowance"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/guard/allowed/{allowance}": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    post?: never;
    /** Ask about it again. */
    delete: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          allowance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        204: {
          headers: { [name: string]: unknown };
          content?: never;
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/guard/audit": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Every call of a tool with its ruling, the newest first. */
    get: {
      parameters: {
        query?: {
          /** How many rows at the most, 1 to 500; 50 if left out. */
          limit?: number;
          /** next_cursor of the page before. */
          cursor?: string;
          /** Not before this moment. */
          since?: string;
          /** Before this moment. */
          until?: string;
          verdict?: "allow" | "ask" | "refuse";
          tool?: string;
          agent?: string;
          user?: string;
          run?: string;
          conversation?: string;
          rule?: string;
          door?: string;
          outcome?: "started" | "ok" | "error" | "refused" | "waiting" | "cancelled";
          feedback?: "wrong" | "right";
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["GuardCallPage"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/guard/audit/export": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** The calls as a file, the oldest first. */
    get: {
      parameters: {
        query?: {
          /** Not before this moment. */
          since?: string;
          /** Before this moment. */
          until?: string;
          verdict?: "allow" | "ask" | "refuse";
          tool?: string;
          agent?: string;
          user?: string;
          run?: string;
          conversation?: string;
          rule?: string;
          door?: string;
          outcome?: "started" | "ok" | "error" | "refused" | "waiting" | "cancelled";
          feedback?: "wrong" | "right";
          /** csv if left out. */
          format?: "csv" | "jsonl";
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "text/csv": string;
            "application/x-ndjson": string;
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/guard/audit/rules": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** How often each rule decided, and was called wrong. */
    get: {
      parameters: {
        query?: {
          /** Not before this moment. */
          since?: string;
          /** Before this moment. */
          until?: string;
          verdict?: "allow" | "ask" | "refuse";
          tool?: string;
          agent?: string;
          user?: string;
          run?: string;
          conversation?: string;
          rule?: string;
          door?: string;
          outcome?: "started" | "ok" | "error" | "refused" | "waiting" | "cancelled";
          feedback?: "wrong" | "right";
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["RuleCountPage"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/guard/audit/{call}": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** One call. */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          call: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["GuardCall"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/guard/denied": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Calls that were refused, the newest first. */
    get: {
      parameters: {
        query?: {
          /** How many rows at the most, 1 to 500; 50 if left out. */
          limit?: number;
          /** next_cursor of the page before. */
          cursor?: string;
          /** Not before this moment. */
          since?: string;
          /** Before this moment. */
          until?: string;
          verdict?: "allow" | "ask" | "refuse";
          tool?: string;
          agent?: string;
          user?: string;
          run?: string;
          conversation?: string;
          rule?: string;
          door?: string;
          outcome?: "started" | "ok" | "error" | "refused" | "waiting" | "cancelled";
          feedback?: "wrong" | "right";
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["GuardCallPage"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/guard/feedback": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Say that a ruling was right or wrong. */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** A fresh random text; the same request with the same key within a day gets the same answer instead of being done twice. */
          "Idempotency-Key"?: string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["FeedbackRequest"];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["GuardCall"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/guard/policy": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** What agents of the workspace may do. */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["GuardPolicy"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    /** Set what agents of the workspace may do. */
    put: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: {
        content: {
          "application/json": components["schemas"]["PolicyRequest"];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["GuardPolicy"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    post?: never;
    /** Go back to the policy of the settings. */
    delete: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["GuardPolicy"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/guard/packs": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** The packs of rules about commands. */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["GuardPackPage"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/guard/check": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Say what would be thought of a command; nothing is kept. */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["CheckRequest"];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["CommandRuling"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/guard/judge": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Judge a command of an outside agent by the workspace's policy, and keep it in the journal. */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["JudgeRequest"];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["GuardRuling"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/push/key": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** What a browser subscribes with; the same for all, and made when it is first asked for. */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["PushKey"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/push/wishes": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** What the caller wants to be told, and when not. */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Wishes"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    /** Change what the caller wants to be told. */
    put: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: {
        content: {
          "application/json": components["schemas"]["WishesRequest"];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Wishes"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/push/subscriptions": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** The devices the caller is told on. */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["SubscriptionPage"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    /** Tell the caller on the browser that asks, while it is signed in. */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** A fresh random text; the same request with the same key within a day gets the same answer instead of being done twice. */
          "Idempotency-Key"?: string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["SubscribeRequest"];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Subscription"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/push/subscriptions/{subscription}": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    post?: never;
    /** Stop telling the caller on a device. */
    delete: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          subscription: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        204: {
          headers: { [name: string]: unknown };
          content?: never;
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    options?: never;
    head?: never;
    /** Rename one of the caller's devices. */
    patch: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          subscription: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["RenameRequest"];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Subscription"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    trace?: never;
  };
  "/api/v1/push/subscriptions/{subscription}/test": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Send a notification to one of the caller's devices, to see whether it arrives. */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          subscription: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Subscription"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/projects": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Folders that agents work in, by name. */
    get: {
      parameters: {
        query?: {
          /** How many rows at the most, 1 to 500; 50 if left out. */
          limit?: number;
          /** next_cursor of the page before. */
          cursor?: string;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["ProjectPage"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    /** Make a folder a project. */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** A fresh random text; the same request with the same key within a day gets the same answer instead of being done twice. */
          "Idempotency-Key"?: string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["ProjectRequest"];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Project"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/projects/{project}": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** One project. */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          project: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Project"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    /** Make it an ordinary folder again; nothing in it changes. */
    delete: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          project: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        204: {
          headers: { [name: string]: unknown };
          content?: never;
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    options?: never;
    head?: never;
    /** Rename it, or say whether it is trusted. */
    patch: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          project: string;
        };
        cookie?: never;
      };
      requestBody?: {
        content: {
          "application/json": components["schemas"]["ProjectChangeRequest"];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Project"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    trace?: never;
  };
  "/api/v1/guard/snapshots": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** What calls changed and can be undone, the newest first. */
    get: {
      parameters: {
        query?: {
          /** How many rows at the most, 1 to 500; 50 if left out. */
          limit?: number;
          /** next_cursor of the page before. */
          cursor?: string;
          run?: string;
          folder?: string;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["SnapshotPage"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/guard/snapshots/{snapshot}": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** One of them. */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          snapshot: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Snapshot"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/guard/undo/preview": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Say what undoing a call, a turn or a run would do. */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: {
        content: {
          "application/json": components["schemas"]["UndoRequest"];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["UndoPlan"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/guard/undo": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Undo a call, a turn or a run; what changed since is never written over. */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** A fresh random text; the same request with the same key within a day gets the same answer instead of being done twice. */
          "Idempotency-Key"?: string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody?: {
        content: {
          "application/json": components["schemas"]["UndoRequest"];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["UndoPlan"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/memory/facts": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** What is remembered, newest first. */
    get: {
      parameters: {
        query?: {
          /** How many rows at the most, 1 to 500; 50 if left out. */
          limit?: number;
          /** next_cursor of the page before. */
          cursor?: string;
          /** active if left out. */
          state?: "active" | "review" | "past";
          /** Only those of the caller, of agent or of project. */
          scope?: "user" | "agent" | "project";
          agent?: string;
          project?: string;
          /** Only those that are always recalled. */
          pinned?: boolean;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["FactPage"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    /** Remember something; what is known already is merged, what says otherwise replaces it. */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** A fresh random text; the same request with the same key within a day gets the same answer instead of being done twice. */
          "Idempotency-Key"?: string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["NewFactRequest"];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["FactAdded"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/memory/facts/{fact}": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** One fact. */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          fact: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Fact"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    /** Forget a fact and its history for good. */
    delete: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          fact: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        204: {
          headers: { [name: string]: unknown };
          content?: never;
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    options?: never;
    head?: never;
    /** Change the text of a fact, or pin it. */
    patch: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          fact: string;
        };
        cookie?: never;
      };
      requestBody?: {
        content: {
          "application/json": components["schemas"]["FactChangeRequest"];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Fact"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    trace?: never;
  };
  "/api/v1/memory/facts/{fact}/history": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** What was true before, newest first. */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          fact: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["FactPage"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/memory/review": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Facts that wait for someone to say whether they are true. */
    get: {
      parameters: {
        query?: {
          /** How many rows at the most, 1 to 500; 50 if left out. */
          limit?: number;
          /** next_cursor of the page before. */
          cursor?: string;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["FactPage"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/memory/review/{fact}/accept": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Say that a fact is true. */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** A fresh random text; the same request with the same key within a day gets the same answer instead of being done twice. */
          "Idempotency-Key"?: string;
        };
        path: {
          fact: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Fact"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/memory/review/{fact}/reject": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Say that a fact is not true; it is forgotten. */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** A fresh random text; the same request with the same key within a day gets the same answer instead of being done twice. */
          "Idempotency-Key"?: string;
        };
        path: {
          fact: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        204: {
          headers: { [name: string]: unknown };
          content?: never;
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/memory/search": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Search everything that is known: facts, documents, the graph, the profile and what was said. */
    get: {
      parameters: {
        query: {
          /** Words, or a question. */
          query: string;
          /** fact, knowledge, entity, turn or profile; all if left out. */
          kinds?: string[];
          /** 10 if left out. */
          limit?: number;
          /** Also what is for this agent. */
          agent?: string;
          /** Also what is for the project of this id. */
          project?: string;
          /** Knowledge of this source only. */
          source?: string;
          since?: string;
          until?: string;
          /** Tell how each score came about. */
          explain?: boolean;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["MemoryAnswer"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    /** The same, for long questions. */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["MemorySearchRequest"];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["MemoryAnswer"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/memory/graph": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** The knowledge graph. */
    get: {
      parameters: {
        query?: {
          /** The graph of a conversation instead of the one that lasts. */
          session?: string;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Graph"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/memory/graph/search": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Nodes that hold a text. */
    get: {
      parameters: {
        query: {
          /** The graph of a conversation instead of the one that lasts. */
          session?: string;
          query: string;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Graph"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/memory/graph/nodes": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Nodes by their names. */
    get: {
      parameters: {
        query: {
          /** The graph of a conversation instead of the one that lasts. */
          session?: string;
          names: string[];
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Graph"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/memory/graph/neighbourhood": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** What is within some steps of a node. */
    get: {
      parameters: {
        query: {
          /** The graph of a conversation instead of the one that lasts. */
          session?: string;
          name: string;
          /** How many steps; 1 if left out. */
          depth?: number;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Graph"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/memory/graph/entities": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Add nodes; those that exist are left as they are. */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** A fresh random text; the same request with the same key within a day gets the same answer instead of being done twice. */
          "Idempotency-Key"?: string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["EntitiesRequest"];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["EntitiesAnswer"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    /** Remove nodes with their relations. */
    delete: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["DeleteEntitiesRequest"];
        };
      };
      responses: {
        204: {
          headers: { [name: string]: unknown };
          content?: never;
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    options?: never;
    head?: never;
    /** Rename a node with its relations, or give it another type. */
    patch: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["EntityChangeRequest"];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["GraphNode"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    trace?: never;
  };
  "/api/v1/memory/graph/relations": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Add relations. */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** A fresh random text; the same request with the same key within a day gets the same answer instead of being done twice. */
          "Idempotency-Key"?: string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["RelationsRequest"];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["RelationsAnswer"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    /** Remove relations. */
    delete: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["RelationsRequest"];
        };
      };
      responses: {
        204: {
          headers: { [name: string]: unknown };
          content?: never;
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/memory/graph/observations": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Add observations to nodes. */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** A fresh random text; the same request with the same key within a day gets the same answer instead of being done twice. */
          "Idempotency-Key"?: string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["ObservationsRequest"];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["ObservationsAnswer"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    /** Take observations back. */
    delete: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["ObservationsRequest"];
        };
      };
      responses: {
        204: {
          headers: { [name: string]: unknown };
          content?: never;
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/memory/profile": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** What is known of the caller in fields. */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["MemoryProfile"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    /** Empty the profile. */
    delete: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        204: {
          headers: { [name: string]: unknown };
          content?: never;
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    options?: never;
    head?: never;
    /** Merge fields into the profile; null deletes one. */
    patch: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["ProfileRequest"];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["MemoryProfileMerge"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    trace?: never;
  };
  "/api/v1/memory/settings": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** What the caller wants of memory. */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["MemorySettings"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    /** Say whether the caller's conversations may be learned from. */
    put: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["MemorySettingsRequest"];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["MemorySettings"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/memory/stats": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** How much is known, and by which means it is found. */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["MemoryStats"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/memory/export": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** What the caller may see, as JSON lines. */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/x-ndjson": string;
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/memory/import": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Take over an export; what is refused is told line by line. */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** A fresh random text; the same request with the same key within a day gets the same answer instead of being done twice. */
          "Idempotency-Key"?: string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["MemoryImportRequest"];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["MemoryImported"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/memory/users/{user}": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    post?: never;
    /** Forget everything about a user: oneself, or anyone with users:write. */
    delete: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          user: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        204: {
          headers: { [name: string]: unknown };
          content?: never;
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/knowledge/sources": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Where knowledge is read from, newest first. */
    get: {
      parameters: {
        query?: {
          /** How many rows at the most, 1 to 500; 50 if left out. */
          limit?: number;
          /** next_cursor of the page before. */
          cursor?: string;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["KnowledgeSourcePage"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    /** Have a file, folder, pattern, web page, repository or pasted text read. */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** A fresh random text; the same request with the same key within a day gets the same answer instead of being done twice. */
          "Idempotency-Key"?: string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody?: {
        content: {
          "application/json": components["schemas"]["NewSourceRequest"];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["KnowledgeSource"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/knowledge/sources/{source}": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** One source, and how far it is read. */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          source: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["KnowledgeSource"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    /** Forget a source and what was read of it; the files stay. */
    delete: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          source: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        204: {
          headers: { [name: string]: unknown };
          content?: never;
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    options?: never;
    head?: never;
    /** Change the title, what is read of it, whether it is watched, or pasted text. */
    patch: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          source: string;
        };
        cookie?: never;
      };
      requestBody?: {
        content: {
          "application/json": components["schemas"]["SourceChangeRequest"];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["KnowledgeSource"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    trace?: never;
  };
  "/api/v1/knowledge/sources/{source}/files": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** The documents of a source, and what was wrong with those that could not be read. */
    get: {
      parameters: {
        query?: {
          /** How many rows at the most, 1 to 500; 50 if left out. */
          limit?: number;
          /** next_cursor of the page before. */
          cursor?: string;
          state?: "ready" | "failed" | "reading";
        };
        header?: never;
        path: {
          source: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["KnowledgeFilePage"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/knowledge/sources/{source}/reindex": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Read what changed again, or everything. */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** A fresh random text; the same request with the same key within a day gets the same answer instead of being done twice. */
          "Idempotency-Key"?: string;
        };
        path: {
          source: string;
        };
        cookie?: never;
      };
      requestBody?: {
        content: {
          "application/json": components["schemas"]["ReindexRequest"];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["KnowledgeSource"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/knowledge/search": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Search documents. */
    get: {
      parameters: {
        query: {
          query: string;
          /** Only this source. */
          source?: string;
          agent?: string;
          /** The project's id. */
          project?: string;
          /** 10 if left out. */
          limit?: number;
          explain?: boolean;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["MemoryAnswer"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/providers": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Who serves models, whether they are ready, and what to do if not. */
    get: {
      parameters: {
        query?: {
          /** How many rows at the most, 1 to 500; 50 if left out. */
          limit?: number;
          /** next_cursor of the page before. */
          cursor?: string;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["ProviderPage"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/providers/{provider}": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** One provider. */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          provider: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Provider"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/providers/{provider}/models": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** The models that a provider itself lists now. */
    get: {
      parameters: {
        query?: {
          /** How many rows at the most, 1 to 500; 50 if left out. */
          limit?: number;
          /** next_cursor of the page before. */
          cursor?: string;
        };
        header?: never;
        path: {
          provider: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["ListedPage"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/providers/{provider}/test": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Ask a provider something small and say in words what came of it. */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          provider: string;
        };
        cookie?: never;
      };
      requestBody?: {
        content: {
          "application/json": components["schemas"]["TestRequest"];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["ProviderTest"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/providers/{provider}/accounts": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Store a key, encrypted; it is never shown again. */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** A fresh random text; the same request with the same key within a day gets the same answer instead of being done twice. */
          "Idempotency-Key"?: string;
        };
        path: {
          provider: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["AddAccountRequest"];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["AddedAccount"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/providers/{provider}/accounts/{account}": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    post?: never;
    /** Forget a stored account and its key. */
    delete: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          provider: string;
          account: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        204: {
          headers: { [name: string]: unknown };
          content?: never;
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    options?: never;
    head?: never;
    /** Switch a stored account on or off, or replace its key. */
    patch: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          provider: string;
          account: string;
        };
        cookie?: never;
      };
      requestBody?: {
        content: {
          "application/json": components["schemas"]["ChangeAccountRequest"];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["ProviderAccount"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    trace?: never;
  };
  "/api/v1/providers/{provider}/signin": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Begin to sign in with a code that is typed on the provider's page. */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          provider: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["SignInCode"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/providers/{provider}/signin/{signin}": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Wait a moment for a sign-in to be finished; done says whether it is. */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          provider: string;
          signin: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["SignInState"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/models": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** The models that can be asked for: routes, and the catalogue's models of the providers at hand. */
    get: {
      parameters: {
        query?: {
          /** How many rows at the most, 1 to 500; 50 if left out. */
          limit?: number;
          /** next_cursor of the page before. */
          cursor?: string;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["ModelPage"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/models/found": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** What this machine already has: sign-ins of other programs, model servers, keys in the environment. */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["FoundModels"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/tools": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Every tool of the workspace: built in, of MCP servers, agents and workflows. */
    get: {
      parameters: {
        query?: {
          /** How many rows at the most, 1 to 500; 50 if left out. */
          limit?: number;
          /** next_cursor of the page before. */
          cursor?: string;
          /** Only of this origin, such as builtin or mcp/github. */
          origin?: string;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["ToolPage"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/tools/{tool}": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** One tool. */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          tool: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Tool"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/tools/{tool}/call": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Call a tool: through the guard, like an agent's call. What goes wrong with it is a result too. */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** A fresh random text; the same request with the same key within a day gets the same answer instead of being done twice. */
          "Idempotency-Key"?: string;
        };
        path: {
          tool: string;
        };
        cookie?: never;
      };
      requestBody?: {
        content: {
          "application/json": components["schemas"]["CallToolRequest"];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["ToolResult"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/mcp": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** What the MCP server says by itself within a session. */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "text/event-stream": string;
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    /** The MCP server: tools, agents, prompts and resources of the workspace, over streamable HTTP. */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "text/event-stream": string;
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    /** End an MCP session. */
    delete: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "text/event-stream": string;
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/mcp/servers": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** MCP servers, whether they are ready, and what to do if not. */
    get: {
      parameters: {
        query?: {
          /** How many rows at the most, 1 to 500; 50 if left out. */
          limit?: number;
          /** next_cursor of the page before. */
          cursor?: string;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["MCPServerPage"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    /** Add an MCP server; it starts when it is needed. */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** A fresh random text; the same request with the same key within a day gets the same answer instead of being done twice. */
          "Idempotency-Key"?: string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["NewMCPServerRequest"];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["MCPServer"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/mcp/servers/import": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Add MCP servers as other programs keep them: all of them, or none. */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** A fresh random text; the same request with the same key within a day gets the same answer instead of being done twice. */
          "Idempotency-Key"?: string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["ImportServersRequest"];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["MCPServerPage"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/mcp/servers/{server}": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** One server. */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          server: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["MCPServer"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    /** Forget a server, its secrets and what was agreed to. */
    delete: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          server: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        204: {
          headers: { [name: string]: unknown };
          content?: never;
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    options?: never;
    head?: never;
    /** Change a server; what runs with the old settings ends. */
    patch: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          server: string;
        };
        cookie?: never;
      };
      requestBody?: {
        content: {
          "application/json": components["schemas"]["ChangeServerRequest"];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["MCPServer"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    trace?: never;
  };
  "/api/v1/mcp/servers/{server}/start": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Start a server now and wait until it has said what it has. */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** A fresh random text; the same request with the same key within a day gets the same answer instead of being done twice. */
          "Idempotency-Key"?: string;
        };
        path: {
          server: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["MCPServer"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/mcp/servers/{server}/stop": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Stop a server; calls do not start it again. */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** A fresh random text; the same request with the same key within a day gets the same answer instead of being done twice. */
          "Idempotency-Key"?: string;
        };
        path: {
          server: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["MCPServer"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/mcp/servers/{server}/restart": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Stop a server and start it again. */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** A fresh random text; the same request with the same key within a day gets the same answer instead of being done twice. */
          "Idempotency-Key"?: string;
        };
        path: {
          server: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["MCPServer"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/mcp/servers/{server}/logs": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** The last lines a server wrote. */
    get: {
      parameters: {
        query?: {
          /** How many lines; all that are kept if left out. */
          last?: number;
        };
        header?: never;
        path: {
          server: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["MCPLogs"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/mcp/servers/{server}/tools": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** The tools of a server, as it said within the last minute or, with force, as it says now. */
    get: {
      parameters: {
        query?: {
          /** How many rows at the most, 1 to 500; 50 if left out. */
          limit?: number;
          /** next_cursor of the page before. */
          cursor?: string;
          /** Ask the server now. */
          force?: boolean;
        };
        header?: never;
        path: {
          server: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["MCPToolPage"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/mcp/servers/{server}/consent": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Agree to what a server now says of its tools. */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** A fresh random text; the same request with the same key within a day gets the same answer instead of being done twice. */
          "Idempotency-Key"?: string;
        };
        path: {
          server: string;
        };
        cookie?: never;
      };
      requestBody?: {
        content: {
          "application/json": components["schemas"]["ConsentRequest"];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["MCPToolPage"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/mcp/servers/{server}/signin": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Begin to sign in at a remote server. */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          server: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["MCPSignIn"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    /** Forget the caller's sign-in at a remote server. */
    delete: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          server: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        204: {
          headers: { [name: string]: unknown };
          content?: never;
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/mcp/callback": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Where a browser comes back to after a sign-in at a remote server. */
    get: {
      parameters: {
        query?: {
          state?: string;
          code?: string;
          iss?: string;
          error?: string;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "text/html": string;
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/plugins": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** The plugins of this server, what they contribute and how they stand in the workspace. */
    get: {
      parameters: {
        query?: {
          /** How many rows at the most, 1 to 500; 50 if left out. */
          limit?: number;
          /** next_cursor of the page before. */
          cursor?: string;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["PluginPage"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    /** Install a folder of the server's machine as a plugin. It gives nothing until it is enabled. */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** A fresh random text; the same request with the same key within a day gets the same answer instead of being done twice. */
          "Idempotency-Key"?: string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["InstallPluginRequest"];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Plugin"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/plugins/removed": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Plugins that were removed and can be restored, the newest first. */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["BinnedPage"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/plugins/{plugin}": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** One plugin. */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          plugin: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Plugin"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    /** Remove a plugin; it is kept for 30 days and can be restored. */
    delete: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          plugin: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        204: {
          headers: { [name: string]: unknown };
          content?: never;
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/plugins/{plugin}/enable": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Agree to the files of a plugin and let it give the workspace what it contributes. */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** A fresh random text; the same request with the same key within a day gets the same answer instead of being done twice. */
          "Idempotency-Key"?: string;
        };
        path: {
          plugin: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["EnablePluginRequest"];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Plugin"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/plugins/{plugin}/disable": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Take back what a plugin gives the workspace; its settings stay. */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** A fresh random text; the same request with the same key within a day gets the same answer instead of being done twice. */
          "Idempotency-Key"?: string;
        };
        path: {
          plugin: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Plugin"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/plugins/{plugin}/settings": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    /** Set some of a plugin's settings: null goes back to the default, an empty secret is forgotten. */
    patch: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          plugin: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["ConfigurePluginRequest"];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Plugin"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    trace?: never;
  };
  "/api/v1/plugins/{plugin}/restore": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Bring back the plugin of this name that was removed last. It has to be enabled again. */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** A fresh random text; the same request with the same key within a day gets the same answer instead of being done twice. */
          "Idempotency-Key"?: string;
        };
        path: {
          plugin: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Plugin"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/config": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Every setting, with where it came from; secrets are masked. */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Config"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    /** Change settings in the file, keeping its comments. */
    patch: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["ConfigRequest"];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["ConfigSaved"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    trace?: never;
  };
  "/api/v1/config/file": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** The settings file as a text; secrets are masked. */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["ConfigFile"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    /** Replace the settings file by a text; masked secrets stay as they are. */
    put: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: {
        content: {
          "application/json": components["schemas"]["ConfigFileRequest"];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["ConfigSaved"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/config/schema": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** The JSON Schema of the file. */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": unknown;
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/config/validate": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Whether a text would be accepted as the file. */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["ConfigTextRequest"];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["ConfigChecked"];
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components["schemas"]["Error"];
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/chat/completions": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** OpenAI's Chat Completions, with any model. */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": string;
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content?: never;
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/responses": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** OpenAI's Responses, with any model. */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": string;
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content?: never;
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/embeddings": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** OpenAI's embeddings, with any model that makes them. */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": string;
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content?: never;
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/audio/transcriptions": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** OpenAI's speech to text. */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": string;
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content?: never;
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/audio/translations": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** OpenAI's speech to English text. */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": string;
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content?: never;
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/audio/speech": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** OpenAI's text to speech. */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "audio/*": string;
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content?: never;
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/models": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** The models that can be asked, in OpenAI's shape, or in Anthropic's with the header anthropic-version. */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": string;
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content?: never;
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/models/{model}": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** One model, in OpenAI's or Anthropic's shape. */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          model: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": string;
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content?: never;
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/models/{provider}/{model}": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** One model, in OpenAI's or Anthropic's shape. */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          provider: string;
          model: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": string;
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content?: never;
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/models/{provider}/{vendor}/{model}": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** One model, in OpenAI's or Anthropic's shape. */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          provider: string;
          vendor: string;
          model: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": string;
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content?: never;
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/messages": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Anthropic's Messages, with any model. */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": string;
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content?: never;
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/messages/count_tokens": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** How many tokens a message has, by the vendor's own count where it has one. */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": string;
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content?: never;
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1beta/models": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** The models that can be asked, in Google's shape. */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": string;
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content?: never;
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1beta/models/{model}": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** One model, in Google's shape. */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          model: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": string;
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content?: never;
        };
      };
    };
    put?: never;
    /** Google's generateContent, streamGenerateContent, countTokens and embedContent, with any model: {model} ends with a colon and the method. */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          model: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": string;
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content?: never;
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1beta/models/{provider}/{model}": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** One model, in Google's shape. */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          provider: string;
          model: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": string;
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content?: never;
        };
      };
    };
    put?: never;
    /** Google's generateContent, streamGenerateContent, countTokens and embedContent, with any model: {model} ends with a colon and the method. */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          provider: string;
          model: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": string;
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content?: never;
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1beta/models/{provider}/{vendor}/{model}": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** One model, in Google's shape. */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          provider: string;
          vendor: string;
          model: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": string;
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content?: never;
        };
      };
    };
    put?: never;
    /** Google's generateContent, streamGenerateContent, countTokens and embedContent, with any model: {model} ends with a colon and the method. */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          provider: string;
          vendor: string;
          model: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": string;
          };
        };
        default: {
          headers: { [name: string]: unknown };
          content?: never;
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
}

export interface components {
  schemas: {
    Error: {
      error: components["schemas"]["ErrorDetail"];
    };
    ErrorDetail: {
      /** Stable name of the error; programs switch on it. */
      code: string;
      /** What happened. */
      message: string;
      /** What to do next. */
      hint: string;
      /** The field or parameter at fault, such as messages[2].role. */
      param?: string;
      /** More, for programs. */
      details?: { [key: string]: unknown };
      /** The same call may succeed later. */
      retryable: boolean;
      /** Names this request in the server's log. */
      request_id: string;
    };
    Status: {
      status: "ok" | "failing" | "maintenance" | "draining";
      checks?: components["schemas"]["Check"][];
    };
    Check: {
      name: string;
      status: "ok" | "failing";
      /** Why it fails; only for those who may read it. */
      message?: string;
    };
    Version: {
      version: string;
      go_version: string;
    };
    System: {
      version: string;
      go_version: string;
      started_at: string;
      mode: "normal" | "maintenance" | "draining";
      mode_since: string;
      checks: components["schemas"]["Check"][];
      database: components["schemas"]["DatabaseState"];
      data_dir?: string;
      disk?: components["schemas"]["Disk"];
      /** What is going on now: open sockets and streams, goroutines, bytes of memory. */
      counts: { [key: string]: number };
    };
    DatabaseState: {
      engine: string;
      where: string;
      size_bytes: number;
    };
    Disk: {
      free_bytes: number;
      total_bytes: number;
    };
    ModeRequest: {
      mode: "normal" | "maintenance" | "draining";
    };
    ModeState: {
      mode: "normal" | "maintenance" | "draining";
      mode_since: string;
    };
    BackupPage: {
      data: components["schemas"]["Backup"][];
      has_more: boolean;
      next_cursor?: string;
    };
    Backup: {
      /** The name of its file. */
      id: string;
      path: string;
      size_bytes: number;
      created_at: string;
    };
    RestoreRequest: {
      /** A backup of the list. */
      name?: string;
      /** Any file of the server's machine; only for commands on that machine. */
      file?: string;
    };
    Restored: {
      rows: number;
      /** The backup of what was there before. */
      safety: string;
      /** Tables and columns that only the other database engine has. */
      skipped: string[];
    };
    Posture: {
      findings: components["schemas"]["PostureFinding"][];
    };
    PostureFinding: {
      name: "network" | "encryption" | "two_factor" | "keys" | "guard" | "two_person" | "sandbox" | "data_folder" | "backups" | "audit" | "telemetry";
      /** advice: fine, and could be better. */
      state: "ok" | "advice" | "risk";
      detail: string;
      /** What to do, unless it is ok. */
      fix?: string;
      /** Where in the web UI that is done. */
      page?: string;
    };
    ServerLogs: {
      /** What is logged at all; a setting. */
      level: "debug" | "info" | "warn" | "error";
      /** The oldest first. */
      lines: components["schemas"]["LogLine"][];
    };
    LogLine: {
      at: string;
      level: "debug" | "info" | "warn" | "error";
      text: string;
      fields: { [key: string]: unknown };
    };
    SetupState: {
      needed: boolean;
      /** The name the first workspace gets unless another is given. */
      workspace: string;
      version: string;
    };
    SetupRequest: {
      /** The one-time code of the link that the server printed. */
      code: string;
      /** The name to sign in with. */
      user: string;
      name?: string;
      email?: string;
      password: string;
      workspace?: string;
    };
    Me: {
      user: components["schemas"]["Account"];
      workspace: components["schemas"]["Workspace"];
      workspaces: components["schemas"]["Workspace"][];
      role: string;
      permissions: string[];
      via: string;
      recovery_codes_left: number;
      has_password: boolean;
    };
    Account: {
      id: string;
      user: string;
      name: string;
      email?: string;
      totp: boolean;
      created_at: string;
    };
    Workspace: {
      id: string;
      name: string;
      role?: string;
      created_at: string;
    };
    SessionOptions: {
      password: boolean;
      oidc: boolean;
      oidc_name?: string;
      /** Somebody has a passkey for the name the page was opened by. */
      passkey: boolean;
    };
    SignInRequest: {
      user: string;
      password: string;
      /** Six digits of the authenticator app, once the answer was totp_required. */
      totp?: string;
      /** Instead of totp. */
      recovery_code?: string;
      /** Skip the second factor in this browser from now on. */
      trust_device?: boolean;
      workspace?: string;
    };
    SwitchRequest: {
      workspace: string;
    };
    SessionPage: {
      data: components["schemas"]["Session"][];
      has_more: boolean;
      next_cursor?: string;
    };
    Session: {
      id: string;
      workspace: string;
      ip: string;
      agent: string;
      current: boolean;
      created_at: string;
      seen_at: string;
      expires_at: string;
    };
    AccountRequest: {
      name?: string;
      email?: string;
    };
    PasswordRequest: {
      /** Left out by someone who has none yet. */
      current?: string;
      new: string;
    };
    TOTPStart: {
      /** To type into the app. */
      secret: string;
      /** To show as a QR code. */
      uri: string;
    };
    TotpRequest: {
      code: string;
    };
    RecoveryCodes: {
      recovery_codes: string[];
    };
    TotpOffRequest: {
      password: string;
    };
    DevicePage: {
      data: components["schemas"]["Device"][];
      has_more: boolean;
      next_cursor?: string;
    };
    Device: {
      id: string;
      ip: string;
      agent: string;
      created_at: string;
      seen_at: string;
      expires_at: string;
    };
    UserPage: {
      data: components["schemas"]["User"][];
      has_more: boolean;
      next_cursor?: string;
    };
    User: {
      id: string;
      user: string;
      name: string;
      email?: string;
      totp: boolean;
      created_at: string;
      role: string;
      /** How many they have to sign in with. */
      passkeys: number;
    };
    NewUserRequest: {
      /** The name to sign in with. */
      user: string;
      name?: string;
      email?: string;
      /** A first password; left out for someone who has an account already. */
      password?: string;
      role?: "viewer" | "operator" | "admin";
    };
    UserRequest: {
      name?: string;
      email?: string;
      role?: "viewer" | "operator" | "admin";
      /** Sets a new password and ends the user's sessions. */
      password?: string;
    };
    WorkspacePage: {
      data: components["schemas"]["Workspace"][];
      has_more: boolean;
      next_cursor?: string;
    };
    NewWorkspaceRequest: {
      name: string;
    };
    WorkspaceRequest: {
      name: string;
    };
    KeyPage: {
      data: components["schemas"]["Key"][];
      has_more: boolean;
      next_cursor?: string;
    };
    Key: {
      id: string;
      workspace: string;
      user: string;
      name: string;
      hint: string;
      scopes: string[];
      allow: string[];
      created_at: string;
      expires_at?: string;
      rotated_at?: string;
      overlap_until?: string;
      used_at?: string;
      used_ip?: string;
      revoked_at?: string;
    };
    NewKeyRequest: {
      name: string;
      /** Permissions or globs such as runs:*; all that the caller may do if left out. */
      scopes?: string[];
      /** Addresses or networks it may be used from; anywhere if left out. */
      allow?: string[];
      /** Never if left out. */
      expires_at?: string;
    };
    KeyCreated: {
      /** The key itself, fx_…; keep it now. */
      key: string;
      id: string;
      workspace: string;
      user: string;
      name: string;
      hint: string;
      scopes: string[];
      allow: string[];
      created_at: string;
      expires_at?: string;
      rotated_at?: string;
      overlap_until?: string;
      used_at?: string;
      used_ip?: string;
      revoked_at?: string;
    };
    RotateRequest: {
      /** How long the old text still works, such as 24h; a day if left out. */
      overlap?: string;
    };
    AuditEntryPage: {
      data: components["schemas"]["AuditEntry"][];
      has_more: boolean;
      next_cursor?: string;
    };
    AuditEntry: {
      workspace: string;
      seq: number;
      id: string;
      at: string;
      actor: string;
      actor_name: string;
      via: string;
      key?: string;
      action: string;
      resource: string;
      result: string;
      note?: string;
      before?: unknown;
      after?: unknown;
      ip?: string;
      request_id?: string;
      hash: string;
    };
    AuditVerification: {
      ok: boolean;
      rows: number;
      first?: number;
      last: number;
      hash: string;
      broken?: number;
      reason?: string;
    };
    PasskeyOptions: {
      /** For PublicKeyCredential.parseCreationOptionsFromJSON or parseRequestOptionsFromJSON. */
      options: unknown;
    };
    PasskeySignInRequest: {
      /** PublicKeyCredential.toJSON() of what the browser made or used. */
      credential: unknown;
      workspace?: string;
    };
    CredentialRequest: {
      /** PublicKeyCredential.toJSON() of what the browser made or used. */
      credential: unknown;
    };
    ConfirmedAnswer: {
      confirmed_until: string;
    };
    PasskeyPage: {
      data: components["schemas"]["Passkey"][];
      has_more: boolean;
      next_cursor?: string;
    };
    Passkey: {
      id: string;
      /** The name of the server as the browser had it; the passkey is good there only. */
      host: string;
      /** It is good where the caller is now. */
      here: boolean;
      name: string;
      /** Its owner has it on several devices. */
      synced: boolean;
      created_at: string;
      used_at?: string;
    };
    BeginAddRequest: {
      /** Of someone who has no passkey here yet; others confirm with one first. */
      password?: string;
    };
    AddPasskeyRequest: {
      /** PublicKeyCredential.toJSON() of what the browser made or used. */
      credential: unknown;
      /** How the caller calls it: Pixel 9, the blue key. */
      name?: string;
    };
    RenamePasskeyRequest: {
      name: string;
    };
    Confirmation: {
      /** Approving what is dangerous asks for a passkey, once an hour, where the caller has one. */
      approvals: boolean;
      /** How many the caller has where they are now. */
      passkeys: number;
      /** Until when this session needs no other confirmation. */
      confirmed_until?: string;
      /** There can be passkeys where the caller is now. */
      possible: boolean;
      /** If not, why. */
      why?: string;
      /** And what can be done about it. */
      hint?: string;
    };
    ConfirmationRequest: {
      /** Approving what is dangerous asks for a passkey, once an hour. */
      approvals?: boolean;
    };
    EventPage: {
      data: components["schemas"]["Event"][];
      has_more: boolean;
      /** Send it as after to go on. */
      next_cursor?: string;
    };
    Event: {
      cursor: number;
      channel: string;
      kind: string;
      at: string;
      data: { [key: string]: unknown };
    };
    AckRequest: {
      /** The cursors of the events. */
      cursors: number[];
    };
    Acked: {
      acknowledged: number[];
      unknown: number[];
    };
    ConversationPage: {
      data: components["schemas"]["Conversation"][];
      has_more: boolean;
      next_cursor?: string;
    };
    Conversation: {
      id: string;
      user: string;
      agent: string;
      title: string;
      visibility: string;
      pinned: boolean;
      archived: boolean;
      /** The newest message of the branch that is shown. */
      head?: string;
      summary?: string;
      /** The project its agent works in. */
      project?: string;
      created_at: string;
      updated_at: string;
    };
    NewConversationRequest: {
      agent?: string;
      title?: string;
    };
    ConversationRequest: {
      title?: string;
      visibility?: "private" | "workspace";
      pinned?: boolean;
      archived?: boolean;
      project?: string;
      /** Show another branch, or go back to an earlier message. */
      head?: string;
    };
    MessagePage: {
      data: components["schemas"]["Message"][];
      has_more: boolean;
      next_cursor?: string;
    };
    Message: {
      id: string;
      conversation: string;
      parent?: string;
      run?: string;
      role: string;
      author: string;
      state: string;
      model?: string;
      parts: components["schemas"]["Part"][];
      usage?: components["schemas"]["Usage"];
      notes?: components["schemas"]["Notes"];
      created_at: string;
      versions?: number;
    };
    Part: {
      kind: string;
      text?: string;
      id?: string;
      name?: string;
      args?: unknown;
      parts?: components["schemas"]["Part"][];
      is_error?: boolean;
      data?: string;
      url?: string;
      media_type?: string;
      signature?: string;
      redacted?: boolean;
      vendor?: string;
      model?: string;
      cache?: boolean;
    };
    Usage: {
      input: number;
      cache_read?: number;
      cache_write?: number;
      cache_write_long?: number;
      audio_input?: number;
      image_input?: number;
      output: number;
      reasoning?: number;
      audio_output?: number;
      image_output?: number;
      premium_milli?: number;
      estimated?: boolean;
    };
    Notes: {
      /** What the agent remembered when it answered. */
      recalled?: components["schemas"]["Recalled"][];
      /** What one could ask next. */
      suggestions?: string[];
      /** What the answer cost in micro-dollars; left out when unknown. */
      cost_micros?: number;
      /** Of the tool calls in parts, in their order: what is known beside the result. */
      calls?: components["schemas"]["CallNote"][];
    };
    Recalled: {
      id: string;
      kind: string;
      text: string;
      /** Where it stands, for people. */
      source?: string;
      score?: number;
      conversation?: string;
      message?: string;
    };
    CallNote: {
      /** The id of its parts. */
      call: string;
      title?: string;
      /** Of the error. */
      code?: string;
      started_at?: string;
      took_ms: number;
      /** What the tool says about the result, as a diff; left out when it is long. */
      meta?: unknown;
    };
    MessageVersionPage: {
      data: components["schemas"]["MessageVersion"][];
      has_more: boolean;
      next_cursor?: string;
    };
    MessageVersion: {
      id: string;
      /** The newest message of its branch: the head that shows it. */
      tip: string;
      author: string;
      state: string;
      model?: string;
      created_at: string;
    };
    FoundPage: {
      data: components["schemas"]["Found"][];
      has_more: boolean;
      next_cursor?: string;
    };
    Found: {
      message: string;
      conversation: string;
      title: string;
      role: string;
      author: string;
      /** The words around what was found. */
      snippet: string;
      created_at: string;
    };
    ImportRequest: {
      format?: string;
      version?: number;
      exported_at?: string;
      title?: string;
      agent?: string;
      summary?: string;
      head?: string;
      created_at?: string;
      messages?: components["schemas"]["MessageRequest"][];
      attachments?: components["schemas"]["ExportedFileRequest"][];
    };
    MessageRequest: {
      id?: string;
      conversation?: string;
      parent?: string;
      run?: string;
      role?: string;
      author?: string;
      state?: string;
      model?: string;
      parts?: components["schemas"]["PartRequest"][];
      usage?: components["schemas"]["UsageRequest"];
      notes?: components["schemas"]["NotesRequest"];
      created_at?: string;
      versions?: number;
    };
    PartRequest: {
      kind?: string;
      text?: string;
      id?: string;
      name?: string;
      args?: unknown;
      parts?: components["schemas"]["PartRequest"][];
      is_error?: boolean;
      data?: string;
      url?: string;
      media_type?: string;
      signature?: string;
      redacted?: boolean;
      vendor?: string;
      model?: string;
      cache?: boolean;
    };
    UsageRequest: {
      input?: number;
      cache_read?: number;
      cache_write?: number;
      cache_write_long?: number;
      audio_input?: number;
      image_input?: number;
      output?: number;
      reasoning?: number;
      audio_output?: number;
      image_output?: number;
      premium_milli?: number;
      estimated?: boolean;
    };
    NotesRequest: {
      /** What the agent remembered when it answered. */
      recalled?: components["schemas"]["RecalledRequest"][];
      /** What one could ask next. */
      suggestions?: string[];
      /** What the answer cost in micro-dollars; left out when unknown. */
      cost_micros?: number;
      /** Of the tool calls in parts, in their order: what is known beside the result. */
      calls?: components["schemas"]["CallNoteRequest"][];
    };
    RecalledRequest: {
      id?: string;
      kind?: string;
      text?: string;
      /** Where it stands, for people. */
      source?: string;
      score?: number;
      conversation?: string;
      message?: string;
    };
    CallNoteRequest: {
      /** The id of its parts. */
      call?: string;
      title?: string;
      /** Of the error. */
      code?: string;
      started_at?: string;
      took_ms?: number;
      /** What the tool says about the result, as a diff; left out when it is long. */
      meta?: unknown;
    };
    ExportedFileRequest: {
      id?: string;
      name?: string;
      media_type?: string;
      data?: string;
      given?: boolean;
    };
    CommentPage: {
      data: components["schemas"]["Comment"][];
      has_more: boolean;
      next_cursor?: string;
    };
    Comment: {
      id: string;
      conversation: string;
      message: string;
      user: string;
      text: string;
      created_at: string;
    };
    CommentRequest: {
      message: string;
      text: string;
    };
    PresenceRequest: {
      /** Made up by the window; tells two windows of one person apart. */
      window: string;
      device?: "desktop" | "tablet" | "phone";
      typing?: boolean;
      /** The window is being closed. */
      left?: boolean;
      /** The others are to say that they are there. */
      asks?: boolean;
    };
    AttachRequest: {
      name: string;
      media_type?: string;
      /** The content in base64. */
      data: string;
    };
    Attachment: {
      id: string;
      user: string;
      conversation?: string;
      name: string;
      media_type: string;
      size: number;
      created_at: string;
      /** The run whose tool gave it; left out when a person sent it. */
      run?: string;
    };
    AgentPage: {
      data: components["schemas"]["Agent"][];
      has_more: boolean;
      next_cursor?: string;
    };
    Agent: {
      name: string;
      title: string;
      description: string;
      /** provider/model; empty: the workspace's own choice */
      model: string;
      params: components["schemas"]["AgentParams"];
      instructions: string;
      persona?: string;
      tools: components["schemas"]["ToolFilter"];
      /** Agents it may hand work to, by name or glob; empty: none. */
      helpers: string[];
      memory: components["schemas"]["AgentMemory"];
      driver: "native";
      limits: components["schemas"]["AgentLimits"];
      /** Who may use it, by user name; empty: everyone of the workspace. */
      users?: string[];
      /** The agent's colour, the same everywhere. */
      hue: string;
      origin: string;
      /** The plugin it comes from; it cannot be changed here then. */
      plugin?: string;
      /** Counts from 1 with every change; 0: never changed. */
      version: number;
      updated_at?: string;
    };
    AgentParams: {
      temperature?: number;
      top_p?: number;
      max_tokens?: number;
      effort?: string;
    };
    ToolFilter: {
      allow: string[];
      deny: string[];
    };
    AgentMemory: {
      /** Facts that fit the question are given to the model. */
      recall: boolean;
      /** Facts are learned from what was said. */
      remember: boolean;
      /** Sources it may search, by name or glob. */
      knowledge?: string[];
    };
    AgentLimits: {
      turns?: number;
      tool_calls?: number;
      helpers?: number;
      depth?: number;
      time_ns?: number;
      money_micros?: number;
      window?: number;
    };
    NewAgentRequest: {
      /** Small letters, digits, - and _. */
      name: string;
      title?: string;
      /** What it is for: routing and other agents go by it. */
      description?: string;
      /** provider/model or a route; empty: the workspace's own choice. */
      model?: string;
      params?: components["schemas"]["AgentParamsRequest"];
      instructions?: string;
      /** How it speaks. */
      persona?: string;
      /** Globs over names; deny wins, and an empty allow means none. */
      tools?: components["schemas"]["ToolFilterRequest"];
      /** Agents it may hand work to, by name or glob. */
      helpers?: string[];
      memory?: components["schemas"]["AgentMemoryRequest"];
      driver?: "native";
      /** Zero takes the default. */
      limits?: components["schemas"]["AgentLimitsRequest"];
      /** Who may use it, by user name; empty: everyone of the workspace. */
      users?: string[];
      hue?: "iris" | "azure" | "teal" | "green" | "lime" | "amber" | "coral" | "pink";
    };
    AgentParamsRequest: {
      temperature?: number;
      top_p?: number;
      max_tokens?: number;
      effort?: string;
    };
    ToolFilterRequest: {
      allow?: string[];
      deny?: string[];
    };
    AgentMemoryRequest: {
      /** Facts that fit the question are given to the model. */
      recall?: boolean;
      /** Facts are learned from what was said. */
      remember?: boolean;
      /** Sources it may search, by name or glob. */
      knowledge?: string[];
    };
    AgentLimitsRequest: {
      turns?: number;
      tool_calls?: number;
      helpers?: number;
      depth?: number;
      time_ns?: number;
      money_micros?: number;
      window?: number;
    };
    AgentSaved: {
      name: string;
      title: string;
      description: string;
      /** provider/model; empty: the workspace's own choice */
      model: string;
      params: components["schemas"]["AgentParams"];
      instructions: string;
      persona?: string;
      tools: components["schemas"]["ToolFilter"];
      /** Agents it may hand work to, by name or glob; empty: none. */
      helpers: string[];
      memory: components["schemas"]["AgentMemory"];
      driver: "native";
      limits: components["schemas"]["AgentLimits"];
      /** Who may use it, by user name; empty: everyone of the workspace. */
      users?: string[];
      /** The agent's colour, the same everywhere. */
      hue: string;
      origin: string;
      /** The plugin it comes from; it cannot be changed here then. */
      plugin?: string;
      /** Counts from 1 with every change; 0: never changed. */
      version: number;
      updated_at?: string;
      warnings?: components["schemas"]["AgentProblem"][];
    };
    AgentProblem: {
      param: string;
      message: string;
      hint?: string;
    };
    ImportAgentsRequest: {
      /** The whole file. */
      text: string;
      /** Change agents of the same name instead of refusing. */
      replace?: boolean;
      /** Only say what would happen. */
      dry_run?: boolean;
    };
    AgentImport: {
      agents: components["schemas"]["AgentImported"][];
      /** What the file says and no agent here can be told. */
      not_understood: components["schemas"]["AgentImportNote"][];
      dry_run: boolean;
    };
    AgentImported: {
      name: string;
      style: string;
      outcome: string;
      version?: number;
      warnings?: components["schemas"]["AgentProblem"][];
    };
    AgentImportNote: {
      agent?: string;
      field: string;
      message: string;
    };
    AgentChangeRequest: {
      /** Refuses the change if the agent is at another version by now. */
      version?: number;
      title?: string;
      /** What it is for: routing and other agents go by it. */
      description?: string;
      /** provider/model or a route; empty: the workspace's own choice. */
      model?: string;
      params?: components["schemas"]["AgentParamsRequest"];
      instructions?: string;
      /** How it speaks. */
      persona?: string;
      /** Globs over names; deny wins, and an empty allow means none. */
      tools?: components["schemas"]["ToolFilterRequest"];
      /** Agents it may hand work to, by name or glob. */
      helpers?: string[];
      memory?: components["schemas"]["AgentMemoryRequest"];
      driver?: "native";
      /** Zero takes the default. */
      limits?: components["schemas"]["AgentLimitsRequest"];
      /** Who may use it, by user name; empty: everyone of the workspace. */
      users?: string[];
      hue?: "iris" | "azure" | "teal" | "green" | "lime" | "amber" | "coral" | "pink";
    };
    AgentVersionPage: {
      data: components["schemas"]["AgentVersion"][];
      has_more: boolean;
      next_cursor?: string;
    };
    AgentVersion: {
      version: number;
      change: string;
      /** Who did it; empty: a command on the server's machine. */
      user?: string;
      at: string;
      /** As it was from then on; of a deleted one, until then. */
      agent: components["schemas"]["Agent"];
    };
    AgentComparison: {
      agent: string;
      from: number;
      to: number;
      differences: components["schemas"]["AgentDifference"][];
    };
    AgentDifference: {
      field: string;
      /** null: it was not set. */
      from: unknown;
      /** null: it is not set. */
      to: unknown;
    };
    RollbackRequest: {
      /** 0: the preset or the settings' definition. */
      version: number;
    };
    RouteMessageRequest: {
      message: string;
    };
    AgentChoice: {
      agent: string;
      how: string;
      why: string;
      /** 0 to 1. */
      confidence: number;
    };
    ChatRequest: {
      message: string;
      /** A new one if left out. */
      conversation?: string;
      /** What becomes of it while a run goes on: the run gets it (the default), it waits, or the run is stopped. */
      mode?: "steer" | "queue" | "interrupt";
      /** The agent's own if left out. */
      model?: string;
      attachments?: string[];
      /** The message it follows; the last one that is shown if left out. */
      parent?: string;
      /** The conversation's if left out. */
      project?: string;
    };
    ChatStarted: {
      run: components["schemas"]["Run"];
      conversation: components["schemas"]["Conversation"];
      message: components["schemas"]["Message"];
      /** The run was going on already and gets the message at its next turn. */
      steered?: boolean;
      /** Which agent was picked, if none was named. */
      routing?: components["schemas"]["Routing"];
    };
    Run: {
      id: string;
      conversation: string;
      /** Of a helper: the run it works for. */
      parent?: string;
      user: string;
      /** The API key it was asked with. */
      key?: string;
      door: string;
      project?: string;
      agent: string;
      model: string;
      state: string;
      question: string;
      answer: string;
      /** Left out while it waits for the run before it. */
      job?: string;
      attempt: number;
      /** Of a helper: the call it works for. */
      call?: string;
      depth?: number;
      /** The beginning of what was asked. */
      title: string;
      /** What a helper, or a run in the queue, was asked. */
      task?: string;
      /** What a helper answered. */
      result?: string;
      /** The run it does again. */
      origin?: string;
      reason?: string;
      /** Of a replay or a fork: what its tools do. */
      tools?: string;
      turns: number;
      calls: number;
      /** Helpers included. */
      spent_micros: number;
      /** What it waits for. */
      needs?: components["schemas"]["Wait"][];
      usage?: components["schemas"]["Usage"];
      error?: components["schemas"]["Trouble"];
      created_at: string;
      started_at?: string;
      first_token_at?: string;
      finished_at?: string;
      partial?: components["schemas"]["Partial"];
    };
    Wait: {
      /** Whose call it is: the run's own, or a helper's. */
      run: string;
      call: string;
      tool: string;
      title?: string;
      kind: string;
      question: string;
      options?: components["schemas"]["ToolOption"][];
      multiple?: boolean;
      fields?: components["schemas"]["Field"][];
      help?: string;
      again?: boolean;
      rule?: string;
      ticket?: string;
    };
    ToolOption: {
      label: string;
      description?: string;
    };
    Field: {
      name: string;
      title?: string;
      description?: string;
      type: string;
      required?: boolean;
      choices?: components["schemas"]["Choice"][];
      preset?: unknown;
    };
    Choice: {
      value: string;
      label: string;
    };
    Trouble: {
      code: string;
      message: string;
      hint?: string;
      retryable: boolean;
    };
    Partial: {
      attempt: number;
      /** The turn whose pieces come. */
      turn: number;
      /** The number of the next text_delta. */
      seq: number;
      /** All text so far. */
      text: string;
      /** Of the turn whose pieces come. */
      reasoning?: string;
      reasoning_seq: number;
      /** Of the finished turns. */
      parts: components["schemas"]["Part"][];
      /** Calls without a result. */
      calls: components["schemas"]["OpenCall"][];
      /** Of the calls with a result: what is known beside it. */
      done: components["schemas"]["CallNote"][];
      helpers: components["schemas"]["HelperShown"][];
    };
    OpenCall: {
      call: string;
      tool: string;
      title?: string;
      /** Long texts are cut. */
      args?: unknown;
      state: string;
      started_at?: string;
    };
    HelperShown: {
      run: string;
      agent: string;
      call: string;
      state: string;
      /** The beginning of what it was asked. */
      task: string;
    };
    Routing: {
      agent: string;
      why: string;
      how: string;
      confidence: number;
    };
    AskRequest: {
      /** Picked if left out. */
      agent?: string;
      message: string;
      /** A new one if left out. */
      conversation?: string;
      /** What becomes of it while a run goes on: the run gets it (the default), it waits, or the run is stopped. */
      mode?: "steer" | "queue" | "interrupt";
      /** The agent's own if left out. */
      model?: string;
      attachments?: string[];
      /** The message it follows; the last one that is shown if left out. */
      parent?: string;
      /** The conversation's if left out. */
      project?: string;
    };
    RunPage: {
      data: components["schemas"]["Run"][];
      has_more: boolean;
      next_cursor?: string;
    };
    StepPage: {
      data: components["schemas"]["Step"][];
      has_more: boolean;
      next_cursor?: string;
    };
    Step: {
      run: string;
      seq: number;
      turn?: number;
      kind: string;
      /** Of the model, the tool or the agent. */
      name: string;
      title?: string;
      /** Of the tool: builtin, mcp/server, agents. */
      origin?: string;
      call?: string;
      state: "planned" | "started" | "waiting" | "finished" | "failed";
      input?: unknown;
      output?: unknown;
      /** The output in short. */
      preview?: string;
      /** Of the error. */
      code?: string;
      /** Pictures of the output, in its order. */
      images?: components["schemas"]["Kept"][];
      need?: components["schemas"]["ToolQuestion"];
      reply?: components["schemas"]["Reply"];
      usage?: components["schemas"]["Usage"];
      ttft_ms?: number;
      took_ms?: number;
      started_at?: string;
      finished_at?: string;
    };
    Kept: {
      /** GET /api/v1/attachments/{attachment}/content gives the bytes. */
      id: string;
      media_type: string;
      size: number;
      /** In pixels; left out when unknown. */
      width?: number;
      height?: number;
    };
    ToolQuestion: {
      kind: string;
      question: string;
      options?: components["schemas"]["ToolOption"][];
      multiple?: boolean;
      fields?: components["schemas"]["Field"][];
      help?: string;
      again?: boolean;
      rule?: string;
      ticket?: string;
    };
    Reply: {
      text?: string;
      choices?: string[];
    };
    SteerRequest: {
      message: string;
    };
    Steered: {
      run: components["schemas"]["Run"];
      /** Its id: among the message_ids of runs.steered once the model gets it. */
      message: string;
    };
    AnswerRequest: {
      /** Which question; may be left out when there is one. */
      call?: string;
      answer?: string;
      /** The options that were chosen. */
      answers?: string[];
    };
    AgainRequest: {
      /** The same if left out. */
      model?: string;
    };
    ReplayRequest: {
      /** The same if left out. */
      model?: string;
      /** What tools do: give what they gave then, work, or work once a person was asked about each change. Left out: recorded. */
      tools?: "recorded" | "live" | "ask";
    };
    ForkRequest: {
      /** The same if left out. */
      model?: string;
      /** What tools do: give what they gave then, work, or work once a person was asked about each change. Left out: recorded. */
      tools?: "recorded" | "live" | "ask";
      /** What was done up to this turn is taken over. */
      turn: number;
    };
    Continued: {
      conversation: components["schemas"]["Conversation"];
      /** The answer of the run, now on the branch that is shown. */
      message: string;
    };
    RegenerateRequest: {
      /** The same if left out. */
      model?: string;
    };
    EditRequest: {
      message: string;
      attachments?: string[];
      model?: string;
    };
    Context: {
      agent: string;
      model: string;
      /** Tokens the model can read; left out when unknown. */
      limit?: number;
      /** Tokens, estimated. */
      used: number;
      /** How many messages the model gets at the most; older ones stay behind. */
      messages: number;
      sections: components["schemas"]["ContextSection"][];
    };
    ContextSection: {
      kind: "instructions" | "guidance" | "memory" | "tools" | "messages" | "results" | "files";
      tokens: number;
      /** Messages, tools, files: whatever it holds. */
      count: number;
      /** What it says, cut where it is long; only when asked for. */
      text?: string;
    };
    BroadcastRequest: {
      agents: string[];
      message: string;
    };
    Broadcast: {
      data: components["schemas"]["ChatStarted"][];
    };
    CasePage: {
      data: components["schemas"]["Case"][];
      has_more: boolean;
      next_cursor?: string;
    };
    Case: {
      id: string;
      user: string;
      name: string;
      /** The run it was kept from. */
      run: string;
      conversation: string;
      agent: string;
      /** Of the run it was kept from. */
      model: string;
      project?: string;
      /** The beginning of what was asked. */
      title: string;
      expects: components["schemas"]["Expectation"];
      created_at: string;
      last?: components["schemas"]["Trial"];
    };
    Expectation: {
      answer: string;
      /** Phrases the answer must have, in any case of letters; left out: it must be the same. */
      contains?: string[];
      /** The tools that are called, in order, with these arguments. */
      calls: components["schemas"]["ExpectedCall"][];
    };
    ExpectedCall: {
      tool: string;
      args: unknown;
    };
    Trial: {
      run: string;
      case: string;
      model: string;
      verdict: "running" | "passed" | "differs";
      differences?: components["schemas"]["Deviation"][];
      created_at: string;
      finished_at?: string;
    };
    Deviation: {
      kind: "failed" | "call" | "answer";
      /** What is different, for people. */
      text: string;
    };
    KeepRequest: {
      run: string;
      /** The beginning of what was asked if left out. */
      name?: string;
      /** Phrases the answer must have; left out: it must be the same. */
      contains?: string[];
    };
    TryRequest: {
      /** The same if left out. */
      model?: string;
    };
    JobPage: {
      data: components["schemas"]["Job"][];
      has_more: boolean;
      next_cursor?: string;
    };
    Job: {
      id: string;
      kind: string;
      state: string;
      priority: number;
      args: unknown;
      unique_key?: string;
      schedule?: string;
      attempt: number;
      max_attempts: number;
      run_at: string;
      worker?: string;
      cancelling: boolean;
      done: number;
      total: number;
      note?: string;
      result?: unknown;
      error?: string;
      created_at: string;
      started_at?: string;
      finished_at?: string;
    };
    JobKindPage: {
      data: components["schemas"]["JobKind"][];
      has_more: boolean;
      next_cursor?: string;
    };
    JobKind: {
      kind: string;
      paused: boolean;
      concurrency: number;
      max_attempts: number;
      schedulable: boolean;
      counts: { [key: string]: number };
    };
    SchedulePage: {
      data: components["schemas"]["Schedule"][];
      has_more: boolean;
      next_cursor?: string;
    };
    Schedule: {
      id: string;
      name: string;
      kind: string;
      args: unknown;
      cron: string;
      time_zone: string;
      enabled: boolean;
      next_at?: string;
      last_at?: string;
      last_job?: string;
      created_at: string;
    };
    NewScheduleRequest: {
      name: string;
      kind: string;
      /** What the work is told; depends on its kind. */
      args?: unknown;
      /** Five fields such as 0 9 * * 1-5, or @daily, or @every 15m. */
      cron: string;
      /** Such as Europe/Berlin; UTC if left out. */
      time_zone?: string;
      /** On if left out. */
      enabled?: boolean;
    };
    ScheduleRequest: {
      name?: string;
      cron?: string;
      time_zone?: string;
      enabled?: boolean;
    };
    RecordPage: {
      data: components["schemas"]["Record"][];
      has_more: boolean;
      next_cursor?: string;
    };
    Record: {
      id: string;
      user?: string;
      key?: string;
      agent?: string;
      run?: string;
      conversation?: string;
      project?: string;
      workflow?: string;
      door?: string;
      model_asked?: string;
      model: string;
      served?: string;
      provider: string;
      account?: string;
      attempt: number;
      unit: string;
      price: number;
      priced: boolean;
      pretend?: boolean;
      premium: number;
      tokens: components["schemas"]["Tokens"];
      estimated: boolean;
      latency_us: number;
      first_token_us: number;
      outcome: string;
      error_code?: string;
      at: string;
    };
    Tokens: {
      input: number;
      cache_read: number;
      cache_write: number;
      cache_write_long: number;
      audio_input: number;
      image_input: number;
      output: number;
      reasoning: number;
      audio_output: number;
      image_output: number;
    };
    Sums: {
      calls: number;
      price: number;
      pretend?: number;
      unpriced: number;
      estimated: number;
      premium: number;
      input: number;
      cached: number;
      output: number;
      failed: number;
      latency_us: number;
    };
    SharePage: {
      data: components["schemas"]["Share"][];
      has_more: boolean;
      next_cursor?: string;
    };
    Share: {
      name: string;
      calls: number;
      price: number;
      pretend?: number;
      unpriced: number;
      estimated: number;
      premium: number;
      input: number;
      cached: number;
      output: number;
      failed: number;
      latency_us: number;
      percent: number;
    };
    PointPage: {
      data: components["schemas"]["Point"][];
      has_more: boolean;
      next_cursor?: string;
    };
    Point: {
      at: string;
      calls: number;
      price: number;
      pretend?: number;
      unpriced: number;
      estimated: number;
      premium: number;
      input: number;
      cached: number;
      output: number;
      failed: number;
      latency_us: number;
    };
    Burn: {
      last_hour: number;
      last_day: number;
      last_week: number;
      per_hour: number;
      per_day: number;
      month: components["schemas"]["Span"];
      month_spent: number;
      month_projected: number;
      unpriced: number;
    };
    Span: {
      start: string;
      end?: string;
    };
    Forecast: {
      method: string;
      history: number;
      days: components["schemas"]["Predicted"][];
      total: components["schemas"]["Predicted"];
      errors: components["schemas"]["BackTest"][];
      weights?: { [key: string]: number };
    };
    Predicted: {
      at?: string;
      price: number;
      low_80: number;
      high_80: number;
      low_95: number;
      high_95: number;
    };
    BackTest: {
      method: string;
      tests: number;
      mean_error: number;
      relative_error: number;
    };
    AdvicePage: {
      data: components["schemas"]["Advice"][];
      has_more: boolean;
      next_cursor?: string;
    };
    Advice: {
      kind: string;
      provider: string;
      model: string;
      use?: string;
      agent?: string;
      says: string;
      saving: number;
      evidence: components["schemas"]["Evidence"];
    };
    Evidence: {
      since: string;
      calls: number;
      price: number;
      input?: number;
      cached?: number;
      output?: number;
    };
    ReconcileRequest: {
      provider: string;
      /** The provider's usage export as CSV text: a day, a model and an amount in dollars. */
      invoice: string;
      /** How far amounts may differ, in micro-dollars. */
      tolerance?: number;
    };
    Reconciliation: {
      provider: string;
      span: components["schemas"]["Span"];
      invoiced: number;
      recorded: number;
      matched: number;
      differences: components["schemas"]["Difference"][];
    };
    Difference: {
      day: string;
      model: string;
      invoiced: number;
      recorded: number;
      calls: number;
      unpriced: number;
      why: string;
    };
    BudgetStatusPage: {
      data: components["schemas"]["BudgetStatus"][];
      has_more: boolean;
      next_cursor?: string;
    };
    BudgetStatus: {
      id: string;
      name: string;
      scope: string;
      scope_id?: string;
      period: string;
      zone: string;
      unit: string;
      amount: number;
      thresholds: number[];
      at_limit: string;
      rollover: boolean;
      enabled: boolean;
      notify?: string;
      created_at: string;
      updated_at: string;
      current: components["schemas"]["Span"];
      limit: number;
      carried: number;
      granted: number;
      spent: number;
      reserved: number;
      left: number;
      percent: number;
      calls: number;
      unpriced: number;
      blocked: number;
    };
    BudgetRequest: {
      name?: string;
      /** workspace if left out. */
      scope?: "workspace" | "user" | "key" | "agent" | "model" | "project" | "workflow";
      /** Which user, key, agent …; none for the workspace. */
      scope_id?: string;
      /** monthly if left out. */
      period?: "daily" | "weekly" | "monthly" | "total";
      /** Whose clocks; UTC if left out. */
      zone?: string;
      /** money if left out. */
      unit?: "money" | "premium";
      /** Micro-dollars (a dollar is 1000000), or thousandths of a premium request. */
      amount: number;
      /** Percentages that warn; 50, 80, 95 if left out. */
      thresholds?: number[];
      /** block if left out. */
      at_limit?: "alert" | "throttle" | "ask" | "block";
      rollover?: boolean;
      /** Who is told; the caller if left out. */
      notify?: string;
    };
    BudgetChangeRequest: {
      name?: string;
      amount?: number;
      thresholds?: number[];
      at_limit?: "alert" | "throttle" | "ask" | "block";
      rollover?: boolean;
      enabled?: boolean;
      notify?: string;
    };
    GrantRequest: {
      /** In the budget's unit, as its amount. */
      amount: number;
    };
    Projection: {
      budget: string;
      current: components["schemas"]["Span"];
      limit: number;
      spent: number;
      per_day: number;
      projected: number;
      runs_out_at?: string;
    };
    ApprovalPage: {
      data: components["schemas"]["Approval"][];
      has_more: boolean;
      next_cursor?: string;
    };
    Approval: {
      id: string;
      code: string;
      kind: string;
      state: string;
      hash: string;
      tool: string;
      args: string;
      command?: string;
      folder?: string;
      dir?: string;
      agent?: string;
      run?: string;
      conversation?: string;
      call?: string;
      door?: string;
      unattended: boolean;
      requested_by?: string;
      rule: string;
      severity?: string;
      reason: string;
      alternative?: string;
      two_person: boolean;
      asked_at: string;
      deadline: string;
      answered_by?: string;
      answered_via?: string;
      answered_at?: string;
      scope?: string;
      words?: string;
      used_at?: string;
    };
    ApprovalAnswerRequest: {
      decision: "approve" | "deny";
      /** How far a yes reaches; once if left out. */
      scope?: "once" | "run" | "project" | "time" | "always";
      /** With a scope beyond once: this exact call, or every call of the tool. */
      covers?: "call" | "tool";
      /** How long the scope lasts; an hour with time, 90 days with the others if left out. */
      minutes?: number;
      /** For the agent. */
      words?: string;
      /** Where the answer was given: web, phone, cli; api if left out. */
      via?: string;
    };
    AllowancePage: {
      data: components["schemas"]["Allowance"][];
      has_more: boolean;
      next_cursor?: string;
    };
    Allowance: {
      id: string;
      covers: string;
      scope: string;
      tool: string;
      shown: string;
      folder?: string;
      agent?: string;
      run?: string;
      approval?: string;
      note?: string;
      created_by: string;
      created_at: string;
      expires_at: string;
    };
    AllowanceRequest: {
      /** run_command if left out. */
      tool?: string;
      /** The exact command; left out: every call of the tool, which must not be one that runs commands. */
      command?: string;
      /** The command may talk to other machines. */
      network?: boolean;
      /** Only there; absolute. Left out: anywhere. */
      folder?: string;
      /** Only this agent; left out: all. */
      agent?: string;
      /** How long; 90 days if left out. */
      minutes?: number;
      note?: string;
    };
    GuardCallPage: {
      data: components["schemas"]["GuardCall"][];
      has_more: boolean;
      next_cursor?: string;
    };
    GuardCall: {
      id: string;
      at: string;
      door?: string;
      user?: string;
      agent?: string;
      run?: string;
      conversation?: string;
      turn?: string;
      call?: string;
      tool: string;
      origin: string;
      level: string;
      folder?: string;
      args: string;
      args_size: number;
      verdict: string;
      rule?: string;
      reason?: string;
      ticket?: string;
      approved_by?: string;
      outcome: string;
      code?: string;
      took_us: number;
      result_size: number;
      truncated: boolean;
      feedback?: string;
      feedback_by?: string;
      feedback_words?: string;
    };
    RuleCountPage: {
      data: components["schemas"]["RuleCount"][];
      has_more: boolean;
      next_cursor?: string;
    };
    RuleCount: {
      verdict: string;
      rule: string;
      calls: number;
      wrong: number;
    };
    FeedbackRequest: {
      call: string;
      /** wrong: something harmless was stopped, or something harmful was not. */
      feedback: "wrong" | "right";
      words?: string;
    };
    GuardPolicy: {
      mode: string;
      levels: components["schemas"]["GuardLevels"];
      tools: components["schemas"]["ToolRule"][];
      agents: { [key: string]: components["schemas"]["ToolFilter"] };
      rates: components["schemas"]["GuardRate"][];
      paths: components["schemas"]["PathRules"];
      hosts: components["schemas"]["HostRules"];
      secrets: string;
      two_person: boolean;
      unattended: string;
      deadline_seconds: number;
      unattended_deadline_seconds: number;
    };
    GuardLevels: {
      public: string;
      restricted: string;
      dangerous: string;
    };
    ToolRule: {
      tool: string;
      action: string;
    };
    GuardRate: {
      per: string;
      tool?: string;
      limit: number;
      every_seconds: number;
    };
    PathRules: {
      outside: string;
      allow: string[];
      deny: string[];
    };
    HostRules: {
      allow: string[];
      deny: string[];
      others: string;
    };
    PolicyRequest: {
      mode?: string;
      levels?: components["schemas"]["GuardLevelsRequest"];
      tools?: components["schemas"]["ToolRuleRequest"][];
      agents?: { [key: string]: components["schemas"]["ToolFilterRequest"] };
      rates?: components["schemas"]["GuardRateRequest"][];
      paths?: components["schemas"]["PathRulesRequest"];
      hosts?: components["schemas"]["HostRulesRequest"];
      secrets?: string;
      two_person?: boolean;
      unattended?: string;
      deadline_seconds?: number;
      unattended_deadline_seconds?: number;
    };
    GuardLevelsRequest: {
      public?: string;
      restricted?: string;
      dangerous?: string;
    };
    ToolRuleRequest: {
      tool?: string;
      action?: string;
    };
    GuardRateRequest: {
      per?: string;
      tool?: string;
      limit?: number;
      every_seconds?: number;
    };
    PathRulesRequest: {
      outside?: string;
      allow?: string[];
      deny?: string[];
    };
    HostRulesRequest: {
      allow?: string[];
      deny?: string[];
      others?: string;
    };
    GuardPackPage: {
      data: components["schemas"]["GuardPack"][];
      has_more: boolean;
      next_cursor?: string;
    };
    GuardPack: {
      id: string;
      family: string;
      about: string;
      rules: components["schemas"]["PackRule"][];
    };
    PackRule: {
      id: string;
      severity: string;
      effect: string;
      alternative?: string;
      example?: string;
    };
    CheckRequest: {
      command: string;
      /** Where it would run; absolute. */
      folder?: string;
      /** bash if left out. */
      shell?: "bash" | "sh" | "zsh" | "mksh";
    };
    CommandRuling: {
      verdict: string;
      rule?: string;
      family?: string;
      severity?: string;
      span: components["schemas"]["CommandSpan"];
      match?: string;
      effect?: string;
      alternative?: string;
      trail?: components["schemas"]["CommandStep"][];
      commands?: components["schemas"]["CommandSimple"][];
    };
    CommandSpan: {
      start: number;
      end: number;
    };
    CommandStep: {
      depth: number;
      span: components["schemas"]["CommandSpan"];
      says: string;
    };
    CommandSimple: {
      argv: string[];
      span: components["schemas"]["CommandSpan"];
      verdict: string;
      rule?: string;
    };
    JudgeRequest: {
      command: string;
      folder?: string;
      agent?: string;
      tool?: string;
      call?: string;
    };
    GuardRuling: {
      verdict: string;
      rule?: string;
      reason?: string;
      hint?: string;
      approval?: string;
      /** With which a person can answer, or make an exception. */
      code?: string;
    };
    PushKey: {
      /** For PushManager.subscribe, as applicationServerKey. */
      key: string;
    };
    Wishes: {
      /** Somebody has to approve a call, and you may. */
      approvals: boolean;
      /** An agent that works for you asks something. */
      questions: boolean;
      /** A run of yours is over; long: only if it took longer than a minute. */
      finished: "never" | "long" | "always";
      /** A budget that you may raise, or are told about, is used up. */
      budgets: boolean;
      /** Notifications say that something needs you, and not what: no command, no question, no title. */
      hide_command: boolean;
      /** Nothing is sent between quiet_from and quiet_until; what needs you is in the inbox. */
      quiet: boolean;
      /** 22:00 */
      quiet_from: string;
      /** 07:00; the next day if that is earlier. */
      quiet_until: string;
      /** Whose clocks quiet hours go by: Europe/Berlin. UTC if left out. */
      time_zone: string;
    };
    WishesRequest: {
      /** Somebody has to approve a call, and you may. */
      approvals?: boolean;
      /** An agent that works for you asks something. */
      questions?: boolean;
      /** A run of yours is over; long: only if it took longer than a minute. */
      finished?: "never" | "long" | "always";
      /** A budget that you may raise, or are told about, is used up. */
      budgets?: boolean;
      /** Notifications say that something needs you, and not what: no command, no question, no title. */
      hide_command?: boolean;
      /** Nothing is sent between quiet_from and quiet_until; what needs you is in the inbox. */
      quiet?: boolean;
      /** 22:00 */
      quiet_from?: string;
      /** 07:00; the next day if that is earlier. */
      quiet_until?: string;
      /** Whose clocks quiet hours go by: Europe/Berlin. UTC if left out. */
      time_zone?: string;
    };
    SubscriptionPage: {
      data: components["schemas"]["Subscription"][];
      has_more: boolean;
      next_cursor?: string;
    };
    Subscription: {
      id: string;
      name: string;
      /** The host of the push service its messages go through. */
      service: string;
      /** It is the browser that asks. */
      current: boolean;
      created_at: string;
      /** When its push service last took a message. */
      sent_at?: string;
      /** When a message last could not be sent; left out once one was. */
      failed_at?: string;
      /** Why not. */
      failure?: string;
    };
    SubscribeRequest: {
      /** How the caller calls the device: Pixel 9, Firefox at work. */
      name?: string;
      /** As PushSubscription has it. */
      endpoint: string;
      /** As PushSubscription.toJSON() gives them. */
      keys: {
        p256dh: string;
        auth: string;
      };
    };
    RenameRequest: {
      name: string;
    };
    ProjectPage: {
      data: components["schemas"]["Project"][];
      has_more: boolean;
      next_cursor?: string;
    };
    Project: {
      id: string;
      name: string;
      folder: string;
      trusted: boolean;
      created_by: string;
      created_at: string;
      updated_at: string;
    };
    ProjectRequest: {
      /** Absolute. */
      folder: string;
      /** The folder's if left out. */
      name?: string;
      /** Commands may run in it without being asked about each; for folders whose files you trust. */
      trusted?: boolean;
    };
    ProjectChangeRequest: {
      name?: string;
      trusted?: boolean;
    };
    SnapshotPage: {
      data: components["schemas"]["Snapshot"][];
      has_more: boolean;
      next_cursor?: string;
    };
    Snapshot: {
      id: string;
      call: string;
      run?: string;
      turn?: string;
      conversation?: string;
      agent?: string;
      tool: string;
      folder: string;
      state: string;
      changed: number;
      notes: string[];
      at: string;
      undone_by?: string;
      undone_at?: string;
    };
    UndoRequest: {
      /** A call, as the audit lists it. */
      call?: string;
      /** Instead of a call: all of a run. */
      run?: string;
      /** Of a run: only this turn. */
      turn?: string;
    };
    UndoPlan: {
      calls: string[];
      steps: components["schemas"]["UndoStep"][];
      stuck: number;
      notes: string[];
      done: boolean;
      call?: string;
    };
    UndoStep: {
      folder: string;
      path: string;
      action: string;
      is: string;
      was: string;
      why?: string;
    };
    FactPage: {
      data: components["schemas"]["Fact"][];
      has_more: boolean;
      next_cursor?: string;
    };
    Fact: {
      id: string;
      user?: string;
      agent?: string;
      project?: string;
      state: string;
      text: string;
      subject?: string;
      confidence: number;
      origin: string;
      pinned: boolean;
      source: components["schemas"]["MemorySource"];
      heard: number;
      uses: number;
      useful: number;
      used_at?: string;
      replaced_by?: string;
      created_at: string;
      updated_at: string;
    };
    MemorySource: {
      conversation?: string;
      message?: string;
      run?: string;
      source?: string;
      path?: string;
      url?: string;
      page?: number;
      line?: number;
      end_line?: number;
      heading?: string;
      author?: string;
    };
    NewFactRequest: {
      text: string;
      /** Whom it is for; user, the caller, if left out. */
      scope?: "user" | "workspace" | "agent" | "project";
      /** With the scope agent, or to narrow the scope user. */
      agent?: string;
      /** The project's id: with the scope project, or to narrow another scope. */
      project?: string;
      /** Recall it before every turn. */
      pinned?: boolean;
      /** 0 to 1; below the threshold of the server it waits for review. 1 if left out. */
      confidence?: number;
      /** Where it was said. */
      conversation?: string;
      message?: string;
    };
    FactAdded: {
      id: string;
      user?: string;
      agent?: string;
      project?: string;
      state: string;
      text: string;
      subject?: string;
      confidence: number;
      origin: string;
      pinned: boolean;
      source: components["schemas"]["MemorySource"];
      heard: number;
      uses: number;
      useful: number;
      used_at?: string;
      replaced_by?: string;
      created_at: string;
      updated_at: string;
      outcome: string;
      replaces?: string;
    };
    FactChangeRequest: {
      text?: string;
      pinned?: boolean;
    };
    MemoryAnswer: {
      data: components["schemas"]["MemoryFound"][];
      embedder?: string;
      degraded?: string;
    };
    MemoryFound: {
      id: string;
      kind: string;
      text: string;
      title?: string;
      source: components["schemas"]["MemorySource"];
      scope: components["schemas"]["MemoryScope"];
      at: string;
      score: number;
      fit: number;
      explain?: components["schemas"]["MemoryExplanation"];
    };
    MemoryScope: {
      user?: string;
      agent?: string;
      project?: string;
    };
    MemoryExplanation: {
      words: number;
      coverage: number;
      cosine: number;
      by_words: number;
      by_meaning: number;
      weight: number;
      language: string;
      around: number;
      boost: number;
    };
    MemorySearchRequest: {
      /** Words, or a question. */
      query: string;
      /** fact, knowledge, entity, turn or profile; all if left out. */
      kinds?: string[];
      /** 10 if left out. */
      limit?: number;
      /** Also what is for this agent. */
      agent?: string;
      /** Also what is for the project of this id. */
      project?: string;
      /** Knowledge of this source only. */
      source?: string;
      since?: string;
      until?: string;
      /** 0 to 1. */
      min_score?: number;
      /** Tell how each score came about. */
      explain?: boolean;
    };
    Graph: {
      entities: components["schemas"]["GraphNode"][];
      relations: components["schemas"]["GraphRelation"][];
    };
    GraphNode: {
      name: string;
      entityType: string;
      observations: string[];
    };
    GraphRelation: {
      from: string;
      to: string;
      relationType: string;
    };
    EntitiesRequest: {
      session?: string;
      entities: components["schemas"]["GraphNodeRequest"][];
    };
    GraphNodeRequest: {
      name?: string;
      entityType?: string;
      observations?: string[];
    };
    EntitiesAnswer: {
      /** Those that are new. */
      entities: components["schemas"]["GraphNode"][];
    };
    EntityChangeRequest: {
      session?: string;
      name: string;
      new_name?: string;
      entity_type?: string;
    };
    DeleteEntitiesRequest: {
      session?: string;
      names: string[];
    };
    RelationsRequest: {
      session?: string;
      relations: components["schemas"]["GraphRelationRequest"][];
    };
    GraphRelationRequest: {
      from?: string;
      to?: string;
      relationType?: string;
    };
    RelationsAnswer: {
      /** Those that are new. */
      relations: components["schemas"]["GraphRelation"][];
    };
    ObservationsRequest: {
      session?: string;
      observations: components["schemas"]["GraphObservationsRequest"][];
    };
    GraphObservationsRequest: {
      entityName?: string;
      contents?: string[];
    };
    ObservationsAnswer: {
      /** What was new of each. */
      observations: components["schemas"]["GraphObservationsAdded"][];
    };
    GraphObservationsAdded: {
      entityName: string;
      addedObservations: string[];
    };
    MemoryProfile: {
      fields: { [key: string]: unknown };
      version: number;
      updated_at?: string;
    };
    ProfileRequest: {
      /** Laid over what is there, object by object; null deletes a field. */
      fields: { [key: string]: unknown };
    };
    MemoryProfileMerge: {
      fields: { [key: string]: unknown };
      version: number;
      updated_at?: string;
      added: string[];
      updated: string[];
      deleted: string[];
    };
    MemorySettings: {
      learn: boolean;
    };
    MemorySettingsRequest: {
      /** May facts be learned from what you say? */
      learn: boolean;
    };
    MemoryStats: {
      facts: { [key: string]: number };
      texts: { [key: string]: number };
      serving?: string;
      building?: string;
      waiting: number;
      vectors: number;
    };
    MemoryImportRequest: {
      /** JSON lines as the export gives them, or one {"text":…} per fact. */
      lines: string;
    };
    MemoryImported: {
      facts: { [key: string]: number };
      entities: number;
      relations: number;
      fields: number;
      refused: components["schemas"]["MemoryRefusal"][];
    };
    MemoryRefusal: {
      line: number;
      reason: string;
    };
    KnowledgeSourcePage: {
      data: components["schemas"]["KnowledgeSource"][];
      has_more: boolean;
      next_cursor?: string;
    };
    KnowledgeSource: {
      id: string;
      user?: string;
      agent?: string;
      project?: string;
      kind: string;
      location?: string;
      title: string;
      options: components["schemas"]["KnowledgeSourceOptions"];
      watch: boolean;
      state: string;
      error?: string;
      created_by?: string;
      created_at: string;
      updated_at: string;
      indexed_at?: string;
      files: number;
      failed: number;
      pieces: number;
    };
    KnowledgeSourceOptions: {
      include?: string[];
      exclude?: string[];
      branch?: string;
    };
    NewSourceRequest: {
      /** Told by the location if left out. */
      kind?: "file" | "folder" | "glob" | "url" | "text" | "git";
      /** A path on the server, a pattern such as /docs/** /*.md, a web address, or a repository. */
      location?: string;
      title?: string;
      /** Pasted text, instead of a location. */
      text?: string;
      /** Who may look things up in it; workspace, everyone, if left out. */
      scope?: "user" | "workspace" | "agent" | "project";
      agent?: string;
      /** The project's id. */
      project?: string;
      /** Patterns: only these files of a folder or repository. */
      include?: string[];
      exclude?: string[];
      /** Of a repository; its default if left out. */
      branch?: string;
      /** Read it again when its files change. */
      watch?: boolean;
    };
    SourceChangeRequest: {
      title?: string;
      watch?: boolean;
      include?: string[];
      exclude?: string[];
      branch?: string;
      /** Of pasted text. */
      text?: string;
    };
    KnowledgeFilePage: {
      data: components["schemas"]["KnowledgeFile"][];
      has_more: boolean;
      next_cursor?: string;
    };
    KnowledgeFile: {
      id: string;
      path: string;
      title?: string;
      format?: string;
      size: number;
      state: string;
      code?: string;
      error?: string;
      hint?: string;
      pieces: number;
      indexed_at: string;
    };
    ReindexRequest: {
      /** Also what has not changed. */
      everything?: boolean;
    };
    ProviderPage: {
      data: components["schemas"]["Provider"][];
      has_more: boolean;
      next_cursor?: string;
    };
    Provider: {
      /** The name before the slash of provider/model. */
      provider: string;
      title: string;
      /** signed_out: the credential is not accepted; missing: there is none; off: switched off in the settings. */
      state: "ready" | "resting" | "signed_out" | "missing" | "off";
      /** What to do, unless it is ready. */
      hint?: string;
      /** The settings, a variable or a stored account name it. */
      configured: boolean;
      /** It works without a key. */
      keyless: boolean;
      /** It runs on this machine. */
      local: boolean;
      /** How to sign in instead of giving a key. */
      sign_in?: string;
      /** The variables its key is looked for in. */
      variables: string[];
      /** Where it is reached, if not at its usual address. */
      base_url?: string;
      /** It failed again and again and is not asked until then. */
      left_alone_until?: string;
      /** A good model to begin with. */
      model?: string;
      accounts: components["schemas"]["ProviderAccount"][];
    };
    ProviderAccount: {
      /** Of a stored account; others are changed where they are set. */
      id?: string;
      name: string;
      /** Where the credential is kept. */
      source: "stored" | "settings" | "variable" | "cli";
      /** Such as OPENAI_API_KEY or fluxway.yaml:3:5. */
      where?: string;
      state: "ready" | "resting" | "signed_out" | "expired" | "off";
      /** Why it is not ready. */
      reason?: string;
      /** When it is tried again. */
      until?: string;
      last_used?: string;
      created_at?: string;
    };
    ListedPage: {
      data: components["schemas"]["Listed"][];
      has_more: boolean;
      next_cursor?: string;
    };
    Listed: {
      id: string;
      name?: string;
      context?: number;
      max_output?: number;
    };
    TestRequest: {
      /** The name of the account to use; the first that is ready if left out. */
      account?: string;
    };
    ProviderTest: {
      ok: boolean;
      /** What happened, in words. */
      message: string;
      /** What to do about it. */
      hint?: string;
      code?: string;
      /** The account that was used. */
      account?: string;
      /** The model that answered. */
      model?: string;
      /** How many models the provider lists for this account. */
      models: number;
      took_ms: number;
    };
    AddAccountRequest: {
      /** What to show for it; if left out: key, or key 2 and so on. */
      name?: string;
      /** Stored encrypted and never shown again. */
      key: string;
      /** Ask the provider first; a key that does not work is not stored. */
      test?: boolean;
    };
    AddedAccount: {
      account: components["schemas"]["ProviderAccount"];
      test?: components["schemas"]["ProviderTest"];
    };
    ChangeAccountRequest: {
      enabled?: boolean;
      /** Replaces the key. */
      key?: string;
    };
    SignInCode: {
      /** Names this sign-in when it is asked about. */
      sign_in: string;
      code: string;
      /** Where to type the code. */
      url: string;
      expires: string;
    };
    SignInState: {
      done: boolean;
      /** The stored account, once it is done. */
      account?: components["schemas"]["ProviderAccount"];
    };
    ModelPage: {
      data: components["schemas"]["Model"][];
      has_more: boolean;
      next_cursor?: string;
    };
    Model: {
      /** provider/model, or the name of a route. */
      id: string;
      name?: string;
      /** Empty for a route. */
      provider?: string;
      /** Of a route, in the order written. */
      targets?: string[];
      /** What agents use that name no model. */
      default: boolean;
      /** The context window in tokens, if known. */
      context?: number;
      max_output?: number;
      /** What it can do besides text. */
      can: string[];
      /** In micro-dollars per million tokens; left out if it is not known, which is not free. */
      price?: components["schemas"]["ModelPrice"];
    };
    ModelPrice: {
      input?: number;
      cache_read?: number;
      output?: number;
      /** The demonstration's: nobody is charged, and what it seems to cost is marked. */
      pretend?: boolean;
    };
    FoundModels: {
      /** Sign-ins of other programs. */
      logins: components["schemas"]["FoundLogin"][];
      /** Model servers that answered. */
      servers: components["schemas"]["FoundServer"][];
      /** Keys in the environment. */
      keys: components["schemas"]["FoundKey"][];
    };
    FoundLogin: {
      provider: string;
      title: string;
      state: "ready" | "expired" | "broken";
      plan?: string;
      expires?: string;
      hint?: string;
      /** The settings allow its use. */
      used: boolean;
      /** A good model to begin with. */
      model?: string;
    };
    FoundServer: {
      provider: string;
      title: string;
      base_url: string;
      models: components["schemas"]["Listed"][];
      /** The settings name it. */
      used: boolean;
    };
    FoundKey: {
      provider: string;
      title: string;
      variable: string;
      /** A good model to begin with. */
      model?: string;
    };
    ToolPage: {
      data: components["schemas"]["Tool"][];
      has_more: boolean;
      next_cursor?: string;
    };
    Tool: {
      name: string;
      title?: string;
      description: string;
      /** builtin, or mcp/ and the server. */
      origin: string;
      /** How much harm it can do. */
      level: "public" | "restricted" | "dangerous";
      /** It leaves everything as it is. */
      read_only: boolean;
      /** Safe to run again after a crash. */
      repeatable: boolean;
      /** It may talk to other machines. */
      network: boolean;
      /** It runs programs, which the sandbox confines as far as this machine can; what holds is told by the posture and by rulings. */
      sandboxed: boolean;
      timeout_seconds: number;
      /** JSON Schema of the arguments. */
      schema: unknown;
    };
    CallToolRequest: {
      /** An object that fits the tool's schema. */
      arguments?: unknown;
      /** The ticket of an approval that was granted for this very call. */
      approval?: string;
    };
    ToolResult: {
      parts: components["schemas"]["ToolPart"][];
      is_error?: boolean;
      code?: string;
      truncated?: boolean;
      full?: components["schemas"]["ToolOutput"];
      needs?: components["schemas"]["ToolQuestion"];
      meta?: { [key: string]: unknown };
    };
    ToolPart: {
      kind: string;
      text?: string;
      data?: string;
      media_type?: string;
      path?: string;
      uri?: string;
      json?: unknown;
      kept?: components["schemas"]["Kept"];
    };
    ToolOutput: {
      body: string;
      size: number;
      cut: boolean;
    };
    MCPServerPage: {
      data: components["schemas"]["MCPServer"][];
      has_more: boolean;
      next_cursor?: string;
    };
    MCPServer: {
      /** Its tools are called name__tool. */
      name: string;
      /** settings: it is changed in the settings file and belongs to every workspace. plugin: it comes and goes with one. */
      source: "stored" | "settings" | "plugin";
      /** The plugin that gives it. */
      plugin?: string;
      transport: "stdio" | "http" | "sse";
      command?: string;
      args?: string[];
      /** ${NAME} stands for a secret of the server, or a variable of ours. */
      env?: { [key: string]: string };
      folder?: string;
      url?: string;
      headers?: { [key: string]: string };
      /** Each person signs in there. */
      sign_in: boolean;
      client_id?: string;
      /** The names of its secrets; the values are never shown. */
      secrets: string[];
      allow?: string[];
      deny?: string[];
      defaults?: { [key: string]: { [key: string]: unknown } };
      level: "public" | "restricted" | "dangerous";
      levels?: { [key: string]: string };
      read_only?: string[];
      timeout_seconds?: number;
      disabled: boolean;
      /** Whether it may use our models; ask: the person of the run says so each time. */
      sampling: "ask" | "allow" | "off";
      /** It is told the folders of the projects. */
      roots: boolean;
      /** You are signed in there. */
      signed_in: boolean;
      /** Until when your sign-in is good. */
      sign_in_ends?: string;
      /** It is renewed by itself then. */
      sign_in_renews: boolean;
      /** idle: it starts when it is needed; waiting: it failed and is tried again; needs_signin: you have to sign in there. */
      state: "idle" | "starting" | "ready" | "waiting" | "stopped" | "needs_signin";
      /** Why it is not ready. */
      reason?: string;
      /** What to do about it. */
      hint?: string;
      since: string;
      next_try?: string;
      /** Attempts that failed in a row. */
      tries: number;
      pid?: number;
      /** The version that was agreed on last. */
      protocol?: string;
      /** What the server calls itself. */
      program?: string;
      /** Under way now. */
      calls: number;
      /** That agents can use. */
      tools: number;
      /** Tools that wait for consent. */
      waiting: number;
      /** When it last said which tools it has. */
      listed_at?: string;
      created_at?: string;
      updated_at?: string;
    };
    NewMCPServerRequest: {
      /** Small letters, digits and hyphens. */
      name: string;
      /** If left out: stdio with a command, http with a URL. */
      transport?: "stdio" | "http" | "sse";
      command?: string;
      args?: string[];
      /** Values may hold ${NAME} for a secret of the server or a variable of ours. */
      env?: { [key: string]: string };
      folder?: string;
      url?: string;
      /** Values may hold ${NAME}. */
      headers?: { [key: string]: string };
      /** Stored encrypted and never shown again; an empty value forgets one. */
      secrets?: { [key: string]: string };
      sign_in?: boolean;
      client_id?: string;
      /** Patterns over the server's tool names; none: all. */
      allow?: string[];
      /** They win over allow. */
      deny?: string[];
      /** By a pattern of tools: arguments for where the model gives none. */
      defaults?: { [key: string]: { [key: string]: unknown } };
      level?: "public" | "restricted" | "dangerous";
      /** By a pattern of tools. */
      levels?: { [key: string]: string };
      /** Patterns of tools that only look; the server's own word is not taken. */
      read_only?: string[];
      timeout_seconds?: number;
      disabled?: boolean;
      /** Whether it may use our models; ask, if left out: the person of the run says so each time. */
      sampling?: "ask" | "allow" | "off";
      /** It is told the folders of the projects; true if left out. */
      roots?: boolean;
    };
    ImportServersRequest: {
      /** JSON: {"mcpServers": {"name": {"command", "args", "env"} or {"url", "headers"}}}. What may be secret in it is stored encrypted. */
      text: string;
    };
    ChangeServerRequest: {
      /** If left out: stdio with a command, http with a URL. */
      transport?: "stdio" | "http" | "sse";
      command?: string;
      args?: string[];
      /** Values may hold ${NAME} for a secret of the server or a variable of ours. */
      env?: { [key: string]: string };
      folder?: string;
      url?: string;
      /** Values may hold ${NAME}. */
      headers?: { [key: string]: string };
      /** Stored encrypted and never shown again; an empty value forgets one. */
      secrets?: { [key: string]: string };
      sign_in?: boolean;
      client_id?: string;
      /** Patterns over the server's tool names; none: all. */
      allow?: string[];
      /** They win over allow. */
      deny?: string[];
      /** By a pattern of tools: arguments for where the model gives none. */
      defaults?: { [key: string]: { [key: string]: unknown } };
      level?: "public" | "restricted" | "dangerous";
      /** By a pattern of tools. */
      levels?: { [key: string]: string };
      /** Patterns of tools that only look; the server's own word is not taken. */
      read_only?: string[];
      timeout_seconds?: number;
      disabled?: boolean;
      /** Whether it may use our models; ask, if left out: the person of the run says so each time. */
      sampling?: "ask" | "allow" | "off";
      /** It is told the folders of the projects; true if left out. */
      roots?: boolean;
    };
    MCPLogs: {
      /** The oldest first. */
      lines: components["schemas"]["MCPLine"][];
      /** How many there were since the program started. */
      total: number;
    };
    MCPLine: {
      at: string;
      /** stdout: what was no message; server: what it logged through the protocol. */
      from: "stderr" | "stdout" | "server" | "fluxway";
      text: string;
    };
    MCPToolPage: {
      data: components["schemas"]["MCPTool"][];
      has_more: boolean;
      next_cursor?: string;
    };
    MCPTool: {
      /** What agents call it. */
      name: string;
      /** What the server calls it. */
      tool: string;
      /** new and changed wait for consent; until then agents do not have the tool. */
      state: "ready" | "new" | "changed" | "gone" | "denied" | "unusable";
      reason?: string;
      title?: string;
      description: string;
      schema: unknown;
      level: "public" | "restricted" | "dangerous";
      /** From what was agreed to, to what the server says now: lines that begin with - and +. */
      diff?: string;
    };
    ConsentRequest: {
      /** As the server calls them; none: all that wait, and those that are gone are forgotten. */
      tools?: string[];
    };
    MCPSignIn: {
      /** The page to open. */
      url?: string;
      /** You are signed in already. */
      done: boolean;
    };
    PluginPage: {
      data: components["schemas"]["Plugin"][];
      has_more: boolean;
      next_cursor?: string;
    };
    Plugin: {
      name: string;
      version: string;
      description: string;
      author?: string;
      homepage?: string;
      folder: string;
      /** settings: the settings name its folder, so it cannot be removed here. */
      source: "folder" | "link" | "settings";
      /** changed: its files are not those that were agreed to, so it gives nothing until a person agrees again. */
      state: "disabled" | "enabled" | "changed" | "invalid" | "missing";
      /** Nothing of it failed when it was last used. */
      healthy: boolean;
      /** Of its files as they are now: what enabling agrees to. */
      digest?: string;
      files: number;
      /** Bytes. */
      size: number;
      /** How its files differ from what was agreed to. */
      changes: components["schemas"]["FileChange"][];
      /** What it may do, in words. */
      powers: components["schemas"]["Power"][];
      contributes: components["schemas"]["Contributions"];
      settings: components["schemas"]["Value"][];
      /** What is wrong with its files. */
      problems: components["schemas"]["Problem"][];
      /** What failed lately, the newest first. */
      failures: components["schemas"]["Failure"][];
      enabled_by?: string;
      enabled_at?: string;
      /** The version that was agreed to. */
      agreed_version?: string;
    };
    FileChange: {
      path: string;
      change: "added" | "changed" | "removed";
    };
    Power: {
      kind: "program" | "remote" | "agent" | "skill" | "hook" | "workflow";
      /** A sentence. */
      text: string;
      risk: "low" | "medium" | "high";
    };
    Contributions: {
      mcp_servers: components["schemas"]["ServerView"][];
      agents: components["schemas"]["AgentView"][];
      skills: components["schemas"]["SkillView"][];
      /** They are kept and not run yet. */
      workflows: components["schemas"]["Workflow"][];
      hooks: components["schemas"]["Hook"][];
    };
    ServerView: {
      name: string;
      command?: string[];
      url?: string;
    };
    AgentView: {
      name: string;
      title?: string;
      description: string;
      tools: string[];
    };
    SkillView: {
      name: string;
      description: string;
    };
    Workflow: {
      name: string;
      file: string;
    };
    Hook: {
      /** Its event, with a number where there are several. */
      name: string;
      event: "before_run" | "after_run" | "before_turn" | "after_turn" | "before_tool" | "after_tool";
      command: string[];
      /** Globs of tools it is called for; none: all. */
      tools?: string[];
      /** Globs of agents it is called for; none: all. */
      agents?: string[];
      timeout_ns: number;
      on_error: "fail_open" | "fail_closed";
      /** It may talk to other machines. */
      network: boolean;
      /** What it may do with the project's folder. */
      project: "none" | "read" | "write";
      env?: { [key: string]: string };
    };
    Value: {
      name: string;
      type: "text" | "number" | "boolean" | "choice" | "list" | "secret";
      title: string;
      description?: string;
      default?: unknown;
      required: boolean;
      choices?: string[];
      min?: number;
      max?: number;
      /** Left out for secrets and where nothing is set. */
      value?: unknown;
      /** A person set it; otherwise the default counts. */
      set: boolean;
    };
    Problem: {
      /** Below the plugin's folder. */
      file: string;
      /** From 1. */
      line?: number;
      /** From 1. */
      column?: number;
      /** Such as contributes.hooks[0].event. */
      key?: string;
      /** A clause: must be at least 1. */
      message: string;
      hint?: string;
    };
    Failure: {
      at: string;
      hook?: string;
      code: string;
      message: string;
      /** The end of what it printed. */
      output?: string;
      run?: string;
    };
    InstallPluginRequest: {
      /** The path of a folder with a plugin.yaml on the server's machine. */
      folder: string;
      /** Leave the files where they are, for whoever works on them; otherwise they are copied. */
      link?: boolean;
    };
    BinnedPage: {
      data: components["schemas"]["Binned"][];
      has_more: boolean;
      next_cursor?: string;
    };
    Binned: {
      name: string;
      removed_at: string;
      /** Then it is deleted. */
      until: string;
    };
    EnablePluginRequest: {
      /** Of the files that the person looked at. If they are others by now, nothing is enabled. */
      digest: string;
    };
    ConfigurePluginRequest: {
      /** By name. A secret is text, kept encrypted and never shown again, or ${NAME} for a variable of the server. */
      settings: { [key: string]: unknown };
    };
    Config: {
      /** The file that was read, or that saving would make. */
      file?: string;
      /** Of the file; send it back with a change. */
      etag?: string;
      values: components["schemas"]["ConfigValue"][];
      /** What a restart would bring. */
      pending: components["schemas"]["ConfigDiff"][];
      /** Why the file as it is now is not in effect. */
      problems: components["schemas"]["ConfigProblem"][];
      warnings: components["schemas"]["ConfigProblem"][];
    };
    ConfigValue: {
      key: string;
      /** Secrets are masked. */
      value: string;
      default: string;
      origin: components["schemas"]["ConfigOrigin"];
      /** A change needs no restart. */
      live: boolean;
      secret: boolean;
      type: string;
      /** The variable that sets it. */
      env: string;
      doc: string;
    };
    ConfigOrigin: {
      source: string;
      /** Such as fluxway.yaml:12:3 or FLUXWAY_LISTEN. */
      where?: string;
    };
    ConfigDiff: {
      key: string;
      old: string;
      new: string;
      origin: components["schemas"]["ConfigOrigin"];
    };
    ConfigProblem: {
      where: string;
      file?: string;
      line?: number;
      column?: number;
      key?: string;
      message: string;
      hint?: string;
    };
    ConfigRequest: {
      /** By key; null takes a setting out of the file. */
      set: { [key: string]: unknown };
      /** Refuses the change if the file is another by now. */
      etag?: string;
    };
    ConfigSaved: {
      etag: string;
      change: components["schemas"]["ConfigEffect"];
      /** Saved, but a variable or flag says otherwise. */
      shadowed: { [key: string]: components["schemas"]["ConfigOrigin"] };
    };
    ConfigEffect: {
      /** In effect now. */
      live: components["schemas"]["ConfigDiff"][];
      /** In effect after a restart. */
      needs_restart: components["schemas"]["ConfigDiff"][];
    };
    ConfigFile: {
      file: string;
      /** Secrets are masked; leave the mask to keep one. */
      text: string;
      /** Send it back when saving. */
      etag: string;
    };
    ConfigFileRequest: {
      /** The whole file. */
      text?: string;
      /** Of the file that was edited; another one by now is not written over. */
      etag?: string;
    };
    ConfigTextRequest: {
      /** The whole file, YAML or JSON. */
      text: string;
    };
    ConfigChecked: {
      valid: boolean;
      problems: components["schemas"]["ConfigProblem"][];
    };
  };
}
