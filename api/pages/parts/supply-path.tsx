import { getFirst, getLast } from '../../../pipeline/core/present.ts'
import { parseUrl } from '../../../pipeline/core/url.ts'
import type { Evidence } from '../../../pipeline/model/responses/authority.ts'
import { Fragment, type Html, h } from '../html/jsx.ts'
import { clipText, showDomains } from '../html/text.tsx'
import { describeState } from './freshness.tsx'
import { toAgentPath, toBrandPath, toPublisherPath } from './paths.ts'
import { describeNeeded, PUBLISHER_REVOKED } from './verdict.tsx'

interface PathNode {
  role: string
  name: string
  /** Path of its page. */
  path: string
}

/** A statement of one party about the next: its file, and the state of that file. */
interface PathEdge {
  look: 'good' | 'fair' | 'bad' | 'none'
  says: string
  file: string | undefined
  state: string | undefined
}

interface SupplyPath {
  /** One more than there are edges. */
  nodes: PathNode[]
  edges: PathEdge[]
}

const publisherSays = {
  match: ['good', 'authorizes'],
  mismatch: ['bad', 'doesn’t authorize'],
  unknown: ['none', 'no valid file'],
} as const
/** Words for a file that was read and yet does not say whether the agent can sell. */
const undecidedSays: Readonly<Record<string, readonly [PathEdge['look'], string]>> = {
  [PUBLISHER_REVOKED]: ['bad', 'revoked'],
  left_out_too_broad: ['none', 'file too broad'],
}
const operatorSays = {
  match: ['good', 'confirmed by'],
  mismatch: ['bad', 'contradicted by'],
  unknown: ['none', 'operated by'],
} as const

/** Finds the way from a publisher to the operator of an agent; undefined where the evidence names no publisher. */
export function findSupplyPath(
  evidence: readonly Evidence[],
  agentUrl: string,
): SupplyPath | undefined {
  const granting = pickDeciding(evidence, 'publisher')
  const operating = pickDeciding(evidence, 'operator')
  if (granting?.domain === undefined) return undefined
  const nodes: PathNode[] = [toNode('Publisher', granting.domain)]
  const edges: PathEdge[] = []
  const [pointer] = granting.files ?? []
  const host = granting.file && parseUrl(granting.file)?.hostname
  if (pointer !== undefined && host && host !== granting.domain) {
    edges.push({ look: 'good', says: 'points to', file: pointer.file, state: pointer.file_state })
    nodes.push(toNode('Manager', host))
  }
  const limits = describeNeeded(granting)
  const [look, says] = limits
    ? (['fair', limits.short] as const)
    : (undecidedSays[granting.rule] ?? publisherSays[granting.says])
  edges.push({ look, says, file: granting.file, state: granting.file_state })
  nodes.push({
    role: 'Agent',
    name: String(showDomains(parseUrl(agentUrl)?.host ?? agentUrl)),
    path: toAgentPath(agentUrl),
  })
  if (operating?.domain !== undefined) {
    const [look, says] = operatorSays[operating.says]
    edges.push({ look, says, file: operating.file, state: operating.file_state })
    nodes.push({ ...toNode('Operator', operating.domain), path: toBrandPath(operating.domain) })
  }
  return { nodes, edges }
}

function toNode(role: string, name: string): PathNode {
  return { role, name: String(showDomains(name)), path: toPublisherPath(name) }
}

/** Picks the step of a side that decides: a yes before anything else, and a no before silence. */
export function pickDeciding(
  evidence: readonly Evidence[],
  side: Evidence['side'],
): Evidence | undefined {
  const steps = evidence.filter(step => step.side === side)
  const order = side === 'publisher' ? ['match', 'mismatch'] : ['mismatch', 'match']
  return (
    order.map(says => steps.find(step => step.says === says)).find(step => step !== undefined) ??
    steps[0]
  )
}

/** Renders the way as a picture for wide windows and one for narrow ones, of which a browser shows one. */
export function renderSupplyPath(path: SupplyPath): Html {
  const text = describePath(path)
  return (
    <figure class="path">
      <figcaption class="unseen">The supply path</figcaption>
      {drawWide(path, text)}
      {drawTall(path, text)}
    </figure>
  )
}

function describePath({ nodes, edges }: SupplyPath): string {
  const steps = edges.map(({ says, file, state }, at) => {
    const read = file === undefined ? '' : ` (${toFileName(file)}, ${describeState(state ?? '')})`
    const next = nodes[at + 1]
    return `${says}: ${next?.role.toLowerCase()} ${next?.name}${read}`
  })
  const { role, name } = getFirst(nodes)
  return `${role} ${name}; ${steps.join('; ')}`
}

/** Measures of a box: between two of them an arrow needs room for its words. */
const WIDE = { width: 1088, height: 116, least: 184, most: 300, arrow: 208, charWidth: 8.65 }

function drawWide({ nodes, edges }: SupplyPath, text: string): Html {
  const { width, height, least, most, arrow, charWidth } = WIDE
  const room = (width - (nodes.length - 1) * arrow) / nodes.length
  const box = Math.min(Math.max(room, least), most)
  const lineChars = Math.floor((box - 32) / charWidth)
  const gap = (width - nodes.length * box) / (nodes.length - 1)
  const middle = height / 2
  const names = nodes.map(({ name }) => splitName(name, lineChars))
  // Roles and names stand on one line across all boxes.
  const top = names.some(lines => lines.length > 1) ? 38 : 47
  return (
    <svg class="wide" viewBox={`0 0 ${width} ${height}`} aria-label={text}>
      {edges.map((edge, at) => {
        const start = at * (box + gap) + box
        const x = start + gap / 2
        return (
          <g class={edge.look}>
            <path class="edge" d={`M${start + 6} ${middle}H${start + gap - 12}`} />
            <path d={`M${start + gap - 6} ${middle}l-9 -5v10z`} />
            <text class="says" x={x} y={middle - 12} text-anchor="middle">
              {edge.says}
            </text>
            {listFileTexts(edge).map((line, index) => (
              <text x={x} y={middle + 20 + index * 17} text-anchor="middle">
                {line}
              </text>
            ))}
          </g>
        )
      })}
      {nodes.map(({ role, path }, at) => {
        const x = at * (box + gap)
        return (
          <a href={path}>
            <rect x={x} y="6" width={box} height={height - 12} rx="12" />
            <text class="role" x={x + 16} y={top}>
              {role}
            </text>
            {names[at]?.map((line, index) => (
              <text class="name" x={x + 16} y={top + 27 + index * 19}>
                {line}
              </text>
            ))}
          </a>
        )
      })}
    </svg>
  )
}

const TALL = { width: 358, box: 62, gap: 62 }

function drawTall({ nodes, edges }: SupplyPath, text: string): Html {
  const { width, box, gap } = TALL
  const height = nodes.length * box + edges.length * gap
  return (
    <svg class="tall" viewBox={`0 0 ${width} ${height}`} aria-label={text}>
      {edges.map((edge, at) => {
        const start = at * (box + gap) + box
        return (
          <g class={edge.look}>
            <path class="edge" d={`M30 ${start + 6}V${start + gap - 12}`} />
            <path d={`M30 ${start + gap - 6}l-5 -9h10z`} />
            <text class="says" x="50" y={start + gap / 2 - 4}>
              {edge.says}
            </text>
            <text x="50" y={start + gap / 2 + 15}>
              {listFileTexts(edge).join(', ')}
            </text>
          </g>
        )
      })}
      {nodes.map(({ role, name, path }, at) => {
        const y = at * (box + gap)
        return (
          <a href={path}>
            <rect x="1" y={y + 1} width={width - 2} height={box - 2} rx="12" />
            <text class="role" x="16" y={y + 24}>
              {role}
            </text>
            <text class="name" x="16" y={y + 46}>
              {clipText(name, 40)}
            </text>
          </a>
        )
      })}
    </svg>
  )
}

function listFileTexts({ file, state }: PathEdge): string[] {
  if (file === undefined) return []
  const name = clipText(toFileName(file), 16)
  return state === undefined ? [name] : [name, clipText(describeState(state), 16)]
}

function toFileName(file: string): string {
  return getLast((parseUrl(file)?.pathname ?? file).split('/')) || file
}

/** Splits a name into at most two lines, behind a dot or a hyphen where it has one. */
function splitName(name: string, chars: number): string[] {
  if (name.length <= chars) return [name]
  const at = Math.max(name.lastIndexOf('.', chars), name.lastIndexOf('-', chars - 1) + 1)
  const cut = at > chars / 3 ? at : chars
  return [name.slice(0, cut), clipText(name.slice(cut), chars)]
}
