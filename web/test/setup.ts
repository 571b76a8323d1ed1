import { cleanup, configure } from "@testing-library/react";
import { afterEach } from "vitest";

// Parts that are loaded on first use take a while when the machine is busy.
configure({ asyncUtilTimeout: 15_000 });

afterEach(() => {
  cleanup();
  localStorage.clear();
});
