/** The style of the reference page: one column that reads well, its contents beside it. */
export const style = `
:root { color-scheme: light dark; --ink: #1c2126; --dim: #5d6872; --line: #e2e6ea; --soft: #f5f7f8;
  --page: #fff; --link: #0b5c8a; --get: #17694a; --post: #8a4b0b; }
@media (prefers-color-scheme: dark) { :root { --ink: #e3e7ea; --dim: #98a3ad; --line: #2d343a;
  --soft: #1d2226; --page: #14181b; --link: #74b9e3; --get: #6cc9a1; --post: #e0a263; } }
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.55 system-ui, sans-serif; }
a { color: var(--link); text-decoration: none; } a:hover { text-decoration: underline; }
code, pre, .path { font-family: ui-monospace, 'SF Mono', Menlo, Consolas, monospace; font-size: .875em; }
.frame { display: grid; grid-template-columns: 17rem minmax(0, 50rem); gap: 3rem; max-width: 74rem;
  margin: 0 auto; padding: 0 1.5rem; }
nav { position: sticky; top: 0; align-self: start; max-height: 100vh; overflow-y: auto;
  padding: 2.25rem 0; font-size: .875rem; }
nav ul { list-style: none; margin: .25rem 0 1.25rem; padding: 0; }
nav li { padding: .1rem 0; overflow-wrap: anywhere; }
nav strong { color: var(--dim); font-weight: 600; }
main { padding: 2rem 0 6rem; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .5rem; }
h2 { font-size: 1.35rem; margin: 3.5rem 0 .75rem; padding-top: 1rem; border-top: 1px solid var(--line); }
h3 { font-size: 1.05rem; margin: 2.25rem 0 .35rem; }
h4 { font-size: .8rem; margin: 1rem 0 .25rem; color: var(--dim); font-weight: 600; }
p { margin: .5rem 0; }
.lead { color: var(--dim); font-size: 1.05rem; }
.path { display: block; padding: .55rem .75rem; background: var(--soft); border: 1px solid var(--line);
  border-radius: 6px; overflow-x: auto; white-space: nowrap; }
.get { color: var(--get); font-weight: 700; } .post { color: var(--post); font-weight: 700; }
.note { color: var(--dim); font-size: .875rem; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th { text-align: left; font-weight: 600; color: var(--dim); font-size: .8rem; }
td, th { padding: .35rem .75rem .35rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td:first-child { white-space: nowrap; width: 12rem; } td:nth-child(2) { width: 19rem; } td { overflow-wrap: anywhere; }
pre { background: var(--soft); border: 1px solid var(--line); border-radius: 6px; padding: .75rem;
  overflow-x: auto; }
@media (max-width: 60rem) { .frame { display: block; } nav { position: static; max-height: none; padding-bottom: 0; } }
`
