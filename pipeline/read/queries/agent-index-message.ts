import type { AgentIndex } from './agent-index.ts'
import { type AgentTextParts, AgentTexts } from './agent-texts.ts'
import { type PostingParts, Postings } from './rank-postings.ts'

/** An index as one thread posts it to another: plain objects and typed arrays. */
export interface AgentIndexMessage extends Omit<AgentIndex, 'texts' | 'postings'> {
  texts: AgentTextParts
  postings: PostingParts
}

/** Converts an index to a message. The buffers in `transferred` are moved, so the sender loses the index. */
export function toMessage({ texts, postings, ...columns }: AgentIndex): {
  message: AgentIndexMessage
  transferred: ArrayBuffer[]
} {
  const { pieces, pieceNumbers, bounds } = texts.parts
  const { scores, propertyCounts, hasTmp } = columns
  const arrays = [...pieces, pieceNumbers, bounds, scores, propertyCounts, hasTmp]
  return {
    message: { ...columns, texts: { pieces, pieceNumbers, bounds }, postings: postings.parts },
    transferred: arrays.map(({ buffer }) => buffer as ArrayBuffer),
  }
}

/** Converts a message back to the index, without copying its arrays. */
export function readMessage({ texts, postings, ...columns }: AgentIndexMessage): AgentIndex {
  return { ...columns, texts: AgentTexts.of(texts), postings: Postings.of(postings) }
}
