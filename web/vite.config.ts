import { fileURLToPath } from "node:url";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";
import { lighter } from "./scripts/lighter";

/** Where `vite` sends API calls while developing: the address of a running `fluxway up`. */
const server = process.env.FLUXWAY_DEV_SERVER ?? "http://127.0.0.1:7777";

export default defineConfig({
  plugins: [lighter(), react(), tailwindcss()],
  resolve: { alias: { "@": fileURLToPath(new URL("./src", import.meta.url)) } },
  build: {
    target: "es2023",
    manifest: true,
    sourcemap: false,
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: {
        // One file for what every page needs: small shared chunks cost a request each and compress badly.
        codeSplitting: {
          groups: [
            {
              name: "base",
              test: /node_modules[\\/](react|react-dom|scheduler|@tanstack(?!.*(useQueries|queriesObserver))|zustand|clsx)[\\/]|src[\\/](api|live)[\\/]|src[\\/](ui[\\/](agent-icon|bits|button|copy|states|menu|dialog|tooltip|page|boundary|toast)|lib[\\/](messages[\\/](chat|common|shell)|format|time|random|storage)|features[\\/](conversations[\\/](queries|outbox|patch|composer)|runs[\\/](queries|stream|work)|agents[\\/]queries)|app[\\/]pages[\\/]chat[\\/](send|find-agent))\.tsx?$|icons[\\/](bot|code|compass|eye|file-text|waypoints|sparkles|arrow-up|square|messages-square)\.mjs$/,
            },
            {
              name: "thread",
              test: /web[\\/]node_modules[\\/]marked[\\/]|src[\\/](app[\\/]pages[\\/]chat[\\/](deltas|live-answer)|features[\\/](conversations[\\/](thread|message)|events[\\/]queries)|lib[\\/]markdown|ui[\\/](markdown|code|highlight))\.tsx?$|icons[\\/]arrow-down\.mjs$/,
              includeDependenciesRecursively: false,
            },
          ],
        },
      },
    },
  },
  worker: { format: "es" },
  server: {
    host: "127.0.0.1",
    proxy: {
      "/api": { target: server, ws: true, changeOrigin: true },
      "/version": server,
      "/healthz": server,
    },
  },
  test: {
    environment: "happy-dom",
    setupFiles: ["./test/setup.ts"],
    include: ["src/**/*.test.{ts,tsx}"],
    restoreMocks: true,
    unstubGlobals: true,
    testTimeout: 30_000,
    // Files share what they import: loading it anew for each of them was two thirds of the work.
    isolate: false,
    pool: "threads",
  },
});
