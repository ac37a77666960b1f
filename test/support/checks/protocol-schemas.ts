import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import formats from 'ajv-formats'

const SCHEMAS = join(
  import.meta.dirname,
  '../../../node_modules/@adcp/sdk/dist/lib/schemas-data/3.0',
)

/** All public schemas of the protocol, compiled on first use. */
let schemas: Ajv | undefined

function loadSchemas(): Ajv {
  const ajv = new Ajv({ strict: false, allErrors: true, validateSchema: false })
  formats.default(ajv)
  for (const name of readdirSync(SCHEMAS, { recursive: true, encoding: 'utf8' })) {
    if (!/^(?!bundled).*\.json$/.test(name)) continue
    const schema = JSON.parse(readFileSync(join(SCHEMAS, name), 'utf8'))
    if (typeof schema.$id === 'string') ajv.addSchema(schema, schema.$id)
  }
  return ajv
}

/** Lists what is wrong with a payload by a public schema, such as `media-buy/get-products-response.json`. */
export function listSchemaFaults(path: string, payload: unknown): unknown[] {
  schemas ??= loadSchemas()
  const validate = schemas.getSchema(`/schemas/3.0.6/${path}`)
  if (!validate) throw new Error(`there is no schema ${path}`)
  validate(payload)
  return validate.errors ?? []
}
