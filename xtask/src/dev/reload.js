// Reloads the page after a restart of the server, and swaps the stylesheet when only that changed.
{
  const changes = new EventSource("/dev/changes");
  let startedAt;
  changes.addEventListener("started", ({ data }) => {
    startedAt ??= data;
    if (data !== startedAt) location.reload();
  });
  changes.addEventListener("styles", ({ data }) => {
    const old = document.querySelector("link[rel=stylesheet]");
    const fresh = old.cloneNode();
    fresh.href = `/pkg/runlens.css?${data}`;
    fresh.onload = () => old.remove();
    old.after(fresh);
  });
}
