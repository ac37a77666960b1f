import type { Services } from '../operation/services.ts'
import { listGuides, toGuidePath } from './guides.ts'
import { toOperationPath } from './parts/operation.tsx'

const WHAT_MCP_OFFERS =
  'the same lookups as tools, over streamable HTTP; with a key, those of `/mcp?toolset=write` save, watch and request crawls'

/** Builds the guide of the registry for language models, in the form of llmstxt.org. */
export function buildLlmsText({ openapi, baseUrl }: Pick<Services, 'openapi' | 'baseUrl'>): string {
  const origin = baseUrl()
  const { info, tags, paths } = openapi()
  const link = (name: string, path: string, about: string) =>
    `- [${name}](${origin}${path}): ${about}`
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
  )
  return [
    `# ${info.title}`,
    '',
    '> Which brand is behind this domain, what does this publisher own, which agents can sell its ads, and are they online? ' +
      'Answers come from brand.json and adagents.json files and from live agents. Lookups need no key.',
    '',
    '## Start here',
    '',
    link('MCP', '/mcp', WHAT_MCP_OFFERS),
    link('OpenAPI', '/openapi/registry.yaml', 'every operation, OpenAPI 3.1'),
    link('Data set', '/data', 'everything public as Parquet, a release a day'),
    link('API reference', '/docs', 'every operation with an example'),
    ...tags.flatMap(({ name }) => [
      '',
      `## ${name}`,
      '',
      ...operations
        .filter(({ tags: groups = [] }) => groups.includes(name))
        .map(({ operationId, method, path, summary }) =>
          link(summary, toOperationPath(operationId), `\`${method.toUpperCase()} ${path}\``),
        ),
    ]),
    '',
    '## Guides',
    '',
    ...listGuides().map(({ name, title, summary }) => link(title, toGuidePath(name), summary)),
    '',
  ].join('\n')
}
