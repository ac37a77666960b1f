import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import '../../../api/agent/creatives/creative.ts'
import { AgentState, type Kind } from '../../../api/agent/state/store.ts'

test('the reference agent stores what callers create under ids of any length', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'registry-agent-'))
  const state = AgentState.open(join(folder, 'state.mdb'), 1e6)
  const now = Date.parse('2026-11-20T03:00:00.000Z')
  const kind = 'creative' as Kind
  const ids = [1, 160, 161, 1_979, 5_000].flatMap(length => ['a', 'ü'].map(c => c.repeat(length)))
  for (const scope of ids) {
    for (const id of ids) {
      state.writeAs({ name: 'owner', share: 'address' }, () =>
        state.transact(now, () => state.put(kind, scope, id, { id } as never, { now })),
      )
      expect(state.get(kind, scope, id)).toEqual({ id })
    }
    expect(state.list(kind, scope)).toHaveLength(ids.length)
    for (const id of ids) state.transact(now, () => state.remove(kind, scope, id))
    expect(state.list(kind, scope)).toEqual([])
  }
  await state.close()
  rmSync(folder, { recursive: true })
})
