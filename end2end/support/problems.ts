// Everything a page complains about: console errors, uncaught errors, failed requests, CSP violations.

import { type BrowserContext, expect, type Page, type Request } from "@playwright/test";

export class Problems {
  private readonly seen: string[] = [];
  private readonly allowed: RegExp[] = [];

  constructor(private readonly origin: string) {}

  /** A test that provokes an error says so, for instance `problems.allow(/status of 404/)`. */
  allow(expected: RegExp): void {
    this.allowed.push(expected);
  }

  async watch(context: BrowserContext, javaScriptEnabled: boolean): Promise<void> {
    context.on("page", (page) => this.watchPage(page));
    context.on("requestfailed", (request) => this.failedRequest(request));
    context.on("response", (response) => {
      if (response.status() >= 500 && this.isOurs(response.url())) {
        this.seen.push(`${response.status()} from ${response.request().method()} ${response.url()}`);
      }
    });
    if (javaScriptEnabled) {
      await context.addInitScript((origin) => {
        if (location.origin !== origin) return;
        document.addEventListener("securitypolicyviolation", (violation) => {
          console.error(`CSP violation of ${violation.violatedDirective} by ${violation.blockedURI}`);
        });
      }, this.origin);
    }
  }

  expectNone(): void {
    const unexpected = this.seen.filter((problem) => !this.allowed.some((allowed) => allowed.test(problem)));
    expect(unexpected, "the page must run without errors").toEqual([]);
  }

  private watchPage(page: Page): void {
    page.on("pageerror", (error) => this.seen.push(`uncaught: ${error.stack ?? error.message}`));
    page.on("console", (message) => {
      const { url } = message.location();
      // The consent page is MANTYX's, not ours.
      if (message.type() === "error" && (url === "" || this.isOurs(url))) {
        this.seen.push(`console: ${message.text()} (${url})`);
      }
    });
  }

  private failedRequest(request: Request): void {
    const why = request.failure()?.errorText ?? "unknown";
    // Leaving a page ends its streams and whatever is still loading.
    if (why !== "net::ERR_ABORTED" && this.isOurs(request.url())) {
      this.seen.push(`request failed: ${why} ${request.method()} ${request.url()}`);
    }
  }

  private isOurs(url: string): boolean {
    return URL.canParse(url) && new URL(url).origin === this.origin;
  }
}
