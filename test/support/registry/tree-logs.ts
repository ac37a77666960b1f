import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RisingIds } from '../../../pipeline/core/uuid-v7.ts'
import type { FeedEvent } from '../../../pipeline/model/event.ts'
import { EventLog } from '../../../pipeline/store/event-log.ts'
import { makeFolders, resolvePaths } from '../../../pipeline/store/paths.ts'
import {
  formatVerifierKey,
  type LogSigner,
  toVerifierKey,
} from '../../../pipeline/transparency/signed-note.ts'
import { TreeLog } from '../../../pipeline/transparency/tree-log.ts'
import { nameOfTile } from '../checks/independent-log.ts'
import { testClock } from '../worlds/clock.ts'

export const ORIGIN_OF_TESTS = 'registry.example/log'

export function createSigner(origin = ORIGIN_OF_TESTS): LogSigner {
  return { origin, key: generateKeyPairSync('ed25519').privateKey }
}

/** Opens a folder with event files and their log; `close` removes it. */
export function openLogWorld({ signer = createSigner(), copies = false } = {}) {
  const dir = mkdtempSync(join(tmpdir(), 'tree-log-'))
  const paths = resolvePaths(dir)
  makeFolders(paths)
  const clock = testClock('2026-11-20T03:00Z')
  const ids = new RisingIds(clock)
  const events = new EventLog(paths)
  const copy = join(dir, 'published', 'log')
  const open = (other: LogSigner | undefined = signer) =>
    new TreeLog({ paths, signer: other, ...(copies && { copyTo: copy }) })
  let made = 0
  return {
    dir,
    paths,
    clock,
    copy,
    signer,
    verifierKey: formatVerifierKey(toVerifierKey(signer)),
    open,
    /** Appends events to the event files, as a commit does. */
    commit(count: number, extra = ''): FeedEvent[] {
      const some = Array.from(
        { length: count },
        (): FeedEvent => ({
          event_id: ids.next(),
          event_type: 'authorization.granted',
          entity_type: 'authorization',
          entity_id: `agent-${made++}.example`,
          payload: { text: `é${extra}` },
          actor: 'pipeline:crawler',
          created_at: '2026-11-20T03:00:00.000Z',
        }),
      )
      events.append(some)
      return some
    },
    /** Changes one bit of one file that a log of this size needs. */
    tamper(size: number, which: number, bit: number) {
      const names = ['checkpoint']
      for (let level = 0, count = size; count > 0; level++, count = Math.floor(count / 256)) {
        for (let at = 0; at < count; at += 256) {
          const width = Math.min(256, count - at)
          names.push(nameOfTile(level, at / 256, width))
          if (level === 0) names.push(nameOfTile('entries', at / 256, width))
        }
      }
      const tamperedName = names[which % names.length]!
      const file = join(paths.log, tamperedName)
      const bytes = readFileSync(file)
      const other = Buffer.from(bytes)
      other[Math.floor(bit / 8) % other.length]! ^= 1 << (bit % 8)
      writeFileSync(file, other)
      return { tamperedName, restore: () => writeFileSync(file, bytes) }
    },
    close: () => rmSync(dir, { recursive: true, force: true }),
  }
}
