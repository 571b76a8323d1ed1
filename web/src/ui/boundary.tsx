import { Component, type ReactNode } from "react";
import { common } from "@/lib/messages/common";
import { Button } from "./button";
import { CopyButton } from "./copy";

type State = { error: Error | undefined };

/** Keeps a failing panel from taking the page with it. */
export class Boundary extends Component<{ children: ReactNode }, State> {
  override state: State = { error: undefined };

  static getDerivedStateFromError(error: Error): State {
    return { error };
  }

  override render() {
    const { error } = this.state;
    if (!error) return this.props.children;
    return (
      <div role="alert" className="flex flex-col items-start gap-2 p-6">
        <p className="font-medium">{common.errors.panel}</p>
        <p className="text-fg-3">{common.errors.panelHint}</p>
        <details className="max-w-full text-small text-fg-3">
          <summary>{common.errors.details}</summary>
          <pre className="well mt-2 overflow-x-auto p-3">{error.message}</pre>
        </details>
        <div className="flex gap-2">
          <Button onClick={() => this.setState({ error: undefined })}>{common.errors.reloadPanel}</Button>
          <CopyButton
            text={() => `${error.name}: ${error.message}\n${error.stack ?? ""}`}
            label={common.actions.copy}
            word
          />
        </div>
      </div>
    );
  }
}
