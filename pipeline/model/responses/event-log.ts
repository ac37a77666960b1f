import { z } from 'zod'

const hash = z.string().describe('SHA-256 hash, in Base64')
const size = z.int().nonnegative()

/** The signed head of the log. */
export const LogCheckpoint = z
  .object({
    origin: z.string().describe('Name of the log and of the key that signs it'),
    size: size.describe('Number of events in the log'),
    root: hash.describe('Root hash over all events (RFC 6962), in Base64'),
    key: z.string().describe('Public key, as `name+id+key`, for verifiers of signed notes'),
    note: z.string().describe('The signed note itself, as served at `/log/checkpoint`'),
  })
  .meta({ id: 'LogCheckpoint', description: 'The signed head of the log of events' })

/** Proof that an event is in the log. */
export const LogInclusion = z
  .object({
    index: size.describe('Index of the event in the log, from 0'),
    size: size.describe('Number of events in the tree that the proof is for'),
    leaf_hash: hash.describe('SHA-256 of a zero byte and the entry, in Base64'),
    proof: z.array(hash).describe('Hashes of the neighboring subtrees, from the leaf to the root'),
    root: hash.describe('Hash that follows from leaf and proof, in Base64'),
    entry: z
      .string()
      .nullable()
      .describe(
        'Entry of the log: the line of the event in the feed’s file, as text; null if it was taken down or is older than the feed',
      ),
    note: z.string().describe('The signed note of the current head'),
  })
  .meta({ id: 'LogInclusion', description: 'Proof that the log contains an event' })

/** Proof that the log was only appended to. */
export const LogConsistency = z
  .object({
    from: size.describe('Number of events in the earlier tree'),
    to: size.describe('Number of events in the later tree'),
    from_root: hash.describe('Root of the earlier tree, which you stored, in Base64'),
    to_root: hash.describe('Root of the later tree, in Base64'),
    proof: z
      .array(hash)
      .describe('Hashes that prove how one root follows from the other (RFC 6962)'),
    note: z.string().describe('The signed note of the current head'),
  })
  .meta({ id: 'LogConsistency', description: 'Proof that one tree is the beginning of another' })
