import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import formats from 'ajv-formats'
import { SUPPORTED_VERSIONS } from '../../../api/agent/protocol-version.ts'

const SCHEMAS = join(import.meta.dirname, '../../../node_modules/@adcp/sdk/dist/lib/schemas-data')

/** Public schemas of each version that the agent claims, compiled on first use. */
const loaded = new Map<string, { ajv: Ajv; ids: readonly string[] }>()

function loadSchemas(version: string): { ajv: Ajv; ids: readonly string[] } {
  const known = loaded.get(version)
  if (known) return known
  const folder = join(SCHEMAS, version)
  const ids: string[] = []
  const ajv = new Ajv({ strict: false, allErrors: true, validateSchema: false })
  formats.default(ajv)
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!/^(?!bundled).*\.json$/.test(name)) continue
    const schema = JSON.parse(readFileSync(join(folder, name), 'utf8'))
    if (typeof schema.$id !== 'string') continue
    ajv.addSchema(schema, schema.$id)
    ids.push(schema.$id)
  }
  loaded.set(version, { ajv, ids })
  return { ajv, ids }
}

/**
 * Lists what is wrong with a payload by a public schema, such as `media-buy/get-products-response.json`, of
 * every version that the agent claims.
 */
export function listSchemaFaults(path: string, payload: unknown): unknown[] {
  return SUPPORTED_VERSIONS.flatMap(version => {
    const { ajv, ids } = loadSchemas(version)
    const validate = ajv.getSchema(ids.find(id => id.endsWith(`/${path}`)) ?? path)
    if (!validate) throw new Error(`there is no schema ${path} in ${version}`)
    validate(payload)
    return validate.errors ?? []
  })
}

/** Lists what is wrong with the answer of a task, by all schemas that the protocol has for it. */
export function listAnswerFaults(task: string, payload: unknown): unknown[] {
  return listAnswerSchemas(task).flatMap(path => listSchemaFaults(path, payload))
}

/** Tasks whose schemas have the name of an older spelling. */
const schemaNames: Readonly<Record<string, string>> = { list_tasks: 'tasks_list' }

/** Lists the paths of the schemas for the answers of a task: two protocols may share a task. */
export function listAnswerSchemas(task: string): string[] {
  const name = `/${(schemaNames[task] ?? task).replaceAll('_', '-')}-response.json`
  const ids = SUPPORTED_VERSIONS.flatMap(version => loadSchemas(version).ids)
  const paths = ids.filter(id => id.endsWith(name)).map(id => id.split('/').slice(-2).join('/'))
  return [...new Set(paths)]
}
