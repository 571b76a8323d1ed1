import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { createRoot } from "react-dom/client";
import "./styles/index.css";
import { makeCache } from "./app/cache";
import { startWorker, watchInstall } from "./app/install";
import { makeRouter } from "./app/router";
import { Boundary } from "./ui/boundary";

async function start() {
  if (import.meta.env.DEV && import.meta.env.VITE_FIXTURES) {
    const { install } = await import("./fixtures/install");
    install();
  }
  watchInstall();
  if (import.meta.env.PROD) startWorker();
  const cache = makeCache();
  const place = document.getElementById("root");
  if (!place) return;
  createRoot(place).render(
    <Boundary>
      <QueryClientProvider client={cache}>
        <RouterProvider router={makeRouter(cache)} />
      </QueryClientProvider>
    </Boundary>,
  );
}

void start();
