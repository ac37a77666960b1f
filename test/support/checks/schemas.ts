import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const require = createRequire(import.meta.url)

interface Validate {
  (value: unknown): boolean
  errors?: unknown
}

/** Loads the check of the ecosystem's own schema, such as `adagents.json`, from the client package. */
export function loadSchema(name: string): Validate {
  const Ajv = require('ajv').default
  const addFormats = require('ajv-formats').default
  const entry = require.resolve('@adcp/sdk')
  const root = join(entry.slice(0, entry.lastIndexOf('/dist/')), 'dist/lib/schemas-data/3.0')
  const ajv = new Ajv({ strict: false, allErrors: false })
  addFormats(ajv)
  for (const file of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.json') || file.startsWith('bundled') || file === name) continue
    const schema = JSON.parse(readFileSync(join(root, file), 'utf8'))
    if (typeof schema.$id === 'string' && dirname(file) !== '.') ajv.addSchema(schema)
  }
  return ajv.compile(JSON.parse(readFileSync(join(root, name), 'utf8')))
}
