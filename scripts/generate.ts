import { readFileSync, writeFileSync } from 'node:fs'
import { renderDataDictionary } from './generate/data-dictionary.ts'
import { replaceSection } from './generate/markdown.ts'
import { renderPublishedSchema } from './generate/published-schema.ts'
import {
  renderCrawling,
  renderEnvironmentExample,
  renderErrors,
  renderEvents,
  renderMetricsTable,
  renderSettings,
  renderTiers,
} from './generate/reference.ts'
import { renderReferencePublishers } from './world/reference-publishers.ts'

const SCHEMA = 'data/published-schema.json'

/** Derived documents by path. `npm run generate` writes them; `--check` fails where one differs. */
const documents: Record<string, () => Promise<string> | string> = {
  'data/README.md': renderDataDictionary,
  'docs/settings.md': renderSettings,
  'docs/events.md': renderEvents,
  'docs/errors.md': renderErrors,
  'docs/metrics.md': renderMetricsTable,
  'docs/crawling.md': renderCrawling,
  'docs/operating.md': () => replaceSection(read('docs/operating.md'), 'tiers', renderTiers()),
  '.env.example': renderEnvironmentExample,
  [SCHEMA]: () => renderPublishedSchema(read(SCHEMA)),
  'data/reference-publishers.json': renderReferencePublishers,
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

const isCheck = process.argv.includes('--check')
for (const [path, render] of Object.entries(documents)) {
  const text = await render()
  if (text === read(path)) continue
  if (isCheck) {
    process.stderr.write(`${path} is out of date: npm run generate\n`)
    process.exitCode = 1
  } else {
    writeFileSync(path, text)
    process.stdout.write(`${path} written\n`)
  }
}
