import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const require = createRequire(import.meta.url)

interface Validate {
  (value: unknown): boolean
  errors?: unknown
}

const root = join(
  require.resolve('@adcp/sdk').replace(/\/dist\/.*$/, ''),
  'dist/lib/schemas-data/3.0',
)

/** Reads one of the ecosystem's own schemas as it is, such as `adagents.json` or `core/property.json`. */
export function readSchema(name: string): Record<string, unknown> {
  return JSON.parse(readFileSync(join(root, name), 'utf8'))
}

/** Loads the check of the ecosystem's own schema, such as `adagents.json`, from the client package. */
export function loadSchema(name: string): Validate {
  const Ajv = require('ajv').default
  const addFormats = require('ajv-formats').default
  const ajv = new Ajv({ strict: false, allErrors: false })
  addFormats(ajv)
  for (const file of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.json') || file.startsWith('bundled') || file === name) continue
    const schema = readSchema(file)
    if (typeof schema.$id === 'string' && dirname(file) !== '.') ajv.addSchema(schema)
  }
  return ajv.compile(readSchema(name))
}
