import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const encodings = ['br', 'gzip'] as const
export type Encoding = (typeof encodings)[number]

/** Shorter answers fit into a packet or two uncompressed. */
const LEAST_BYTES = 1_400
/** Concurrent compressions: they run on the threads that snapshot queries need. */
const AT_ONCE = 2
const BROTLI_QUALITY = 4
const GZIP_LEVEL = 5
const CHOICES = 200

const compressors: Record<Encoding, (body: Buffer) => Promise<Buffer>> = {
  br: body => {
    const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = constants
    const params = { [BROTLI_PARAM_QUALITY]: BROTLI_QUALITY, [BROTLI_PARAM_SIZE_HINT]: body.length }
    return promisify(brotliCompress)(body, { params })
  },
  gzip: body => promisify(gzip)(body, { level: GZIP_LEVEL }),
}

let running = 0

/** Tells whether an answer of this length and media type is worth compressing. */
export function isCompressible(length: number, type: string): boolean {
  return length >= LEAST_BYTES && /^(?:text\/|application\/(?:[a-z.-]+\+)?(?:json|yaml))/.test(type)
}

/** Compresses on another thread; undefined while others are busy with that: the answer is then sent uncompressed. */
export async function compress(body: Buffer, encoding: Encoding): Promise<Buffer | undefined> {
  if (running >= AT_ONCE) return undefined
  running++
  try {
    return await compressors[encoding](body)
  } finally {
    running--
  }
}

const choices = new Map<string, Encoding | undefined>()

/** Chooses the encoding that an `Accept-Encoding` prefers; undefined for none. */
export function chooseEncoding(accepted: string | undefined): Encoding | undefined {
  if (accepted === undefined) return undefined
  if (choices.has(accepted)) return choices.get(accepted)
  if (choices.size >= CHOICES) choices.clear()
  const choice = choose(accepted)
  choices.set(accepted, choice)
  return choice
}

function choose(accepted: string): Encoding | undefined {
  const weights = new Map(accepted.toLowerCase().split(',').map(readWeight))
  const getWeight = (name: string) => weights.get(name) ?? weights.get('*') ?? 0
  const plain = weights.get('identity') ?? 0
  let best: Encoding | undefined
  for (const encoding of encodings) {
    const weight = getWeight(encoding)
    if (weight > 0 && weight >= plain && weight > (best ? getWeight(best) : 0)) best = encoding
  }
  return best
}

function readWeight(part: string): [name: string, weight: number] {
  const [name = '', ...parameters] = part.split(';').map(text => text.trim())
  const parameter = parameters.find(text => text.startsWith('q='))?.slice(2)
  const weight = parameter === undefined ? 1 : Number(parameter)
  return [name, Number.isNaN(weight) ? 0 : weight]
}
