import { parseUrl } from '../../../pipeline/core/url.ts'
import { type Format, type FormatAsset, formats } from '../catalogue/formats.ts'
import { type Issue, TaskError } from '../errors.ts'
import type { TaskContext } from '../task-context.ts'
import { type FormatId, isSameFormat } from '../tasks/format-id.ts'
import type { Asset, Assets } from './creative.ts'

/** Finds a format that this agent defines. Throws if it is unknown or another agent's. */
export function resolveFormat(id: FormatId, context: TaskContext, field = 'format_id'): Format {
  const found = formats.find(format => isSameFormat(id, format, context))
  if (found) return found
  throw new TaskError(
    'REFERENCE_NOT_FOUND',
    `${field}: ${id.id} of ${id.agent_url} is not a format of this agent`,
    { field },
  )
}

/** Throws with every issue if assets do not meet the requirements of their format. */
export function assertMatchesFormat(
  assets: Assets,
  format: Format,
  field = 'creative_manifest',
): void {
  const issues = checkAssets(assets, format)
  const [first] = issues
  if (first === undefined) return
  throw new TaskError('CREATIVE_REJECTED', `${field}${first.pointer}: ${first.message}`, {
    field,
    issues,
  })
}

/** Lists what is wrong with assets, by the requirements of their format. */
export function checkAssets(assets: Assets, format: Format): Issue[] {
  return format.assets.flatMap(wanted => {
    const supplied = assets[wanted.asset_id]
    const pointer = `/assets/${wanted.asset_id}`
    if (supplied === undefined) {
      const message = `${format.name} requires ${wanted.asset_type} ${wanted.asset_id}`
      return wanted.required ? [{ pointer, message, keyword: 'required' }] : []
    }
    return [supplied].flat().flatMap(asset => checkAsset(asset, wanted, pointer))
  })
}

/** Fields that make an asset of a type usable: one of each list is required. */
const needed: Record<FormatAsset['asset_type'], readonly string[]> = {
  image: ['url'],
  video: ['url', 'tag'],
  audio: ['url'],
  text: ['content'],
  html: ['content', 'url'],
  vast: ['content', 'url'],
  url: ['url'],
}

function checkAsset(asset: Asset, wanted: FormatAsset, pointer: string): Issue[] {
  const { asset_type = wanted.asset_type } = asset
  if (asset_type !== wanted.asset_type) {
    const message = `must be of type ${wanted.asset_type}, not ${asset_type}`
    return [{ pointer: `${pointer}/asset_type`, message, keyword: 'const' }]
  }
  const fields = needed[wanted.asset_type]
  const found = fields.find(name => typeof asset[name] === 'string' && asset[name] !== '')
  if (!found) {
    return [{ pointer, message: `must have ${fields.join(' or ')}`, keyword: 'required' }]
  }
  if (found === 'url' && !isWebAddress(asset.url as string)) {
    const message = 'must be an http or https URL'
    return [{ pointer: `${pointer}/url`, message, keyword: 'format' }]
  }
  return checkRequirements(asset, wanted, pointer)
}

function isWebAddress(text: string): boolean {
  return /^https?:$/.test(parseUrl(text)?.protocol ?? '')
}

/** Checks sizes, lengths and types of files. A measure that the asset does not state is not checked. */
function checkRequirements(asset: Asset, wanted: FormatAsset, pointer: string): Issue[] {
  const { width, height, max_length, duration_seconds, file_types } = wanted.requirements ?? {}
  const issues: Issue[] = []
  const check = (name: string, isRight: boolean, message: string, keyword: string) => {
    if (!isRight) issues.push({ pointer: `${pointer}/${name}`, message, keyword })
  }
  const isOr = (name: string, value: unknown) => asset[name] === undefined || asset[name] === value
  if (width) check('width', isOr('width', width), `must be ${width}`, 'const')
  if (height) check('height', isOr('height', height), `must be ${height}`, 'const')
  if (max_length && typeof asset.content === 'string') {
    const isShort = [...asset.content].length <= max_length
    check('content', isShort, `must have at most ${max_length} characters`, 'maxLength')
  }
  if (duration_seconds) {
    const isRight = isOr('duration_ms', duration_seconds * 1000)
    check('duration_ms', isRight, `must be ${duration_seconds * 1000}`, 'const')
  }
  if (file_types && typeof asset.url === 'string') {
    const type = /\.([a-z0-9]{2,5})$/i.exec(new URL(asset.url).pathname)?.[1]?.toLowerCase()
    const isKnown = type === undefined || file_types.includes(type === 'jpeg' ? 'jpg' : type)
    check('url', isKnown, `must be a file of type ${file_types.join(', ')}`, 'enum')
  }
  return issues
}
