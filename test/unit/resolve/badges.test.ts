import { describe, expect, it } from 'vitest'
import { HOUR } from '../../../pipeline/core/clock.ts'
import { badgeRoles, specialisms } from '../../../pipeline/model/badge.ts'
import type { CountedResult } from '../../../pipeline/model/compliance.ts'
import {
  type BadgeFacts,
  expireBadges,
  judgeSpecialisms,
  updateBadges,
} from '../../../pipeline/resolve/badges.ts'
import { listInstalledBundles } from '../../../pipeline/storyboards/bundles/bundle-folder.ts'
import { findEntry, listStoryboards } from '../../../pipeline/storyboards/catalog.ts'
import { listShown } from '../../../pipeline/storyboards/shown-specialisms.ts'

const START = Date.parse('2026-11-20T03:00:00.000Z')

/** Builds a result with what the installed bundle says that it shows. */
const result = (storyboard_id: string, status: CountedResult['status']): CountedResult => {
  const entry = findEntry(storyboard_id)
  return {
    storyboard_id,
    track: null,
    status,
    steps_passed: 1,
    steps_total: 1,
    ...(entry && { shows: listShown(entry) }),
  }
}

const passing = [result('signal_owned', 'passing')]

/** Builds the facts of a full run that passes, with these differences. */
function build(
  more: Partial<Omit<BadgeFacts, 'state'>> & { state?: Partial<BadgeFacts['state']> } = {},
): BadgeFacts {
  return {
    isTested: true,
    isEligible: true,
    isOptedOut: false,
    needsRequalification: false,
    isFullRun: true,
    interval_hours: 12,
    now: START,
    ...more,
    state: {
      specialisms: ['signal-owned'],
      storyboards: passing,
      supports_version: true,
      ...more.state,
    },
  }
}

const [earned] = updateBadges([], build())

describe('a badge', () => {
  it('is issued for the role of what the agent claims, for three intervals', () => {
    expect(earned).toMatchObject({
      role: 'signals',
      state: 'active',
      verified_specialisms: ['signal-owned'],
      expires_at: new Date(START + 36 * HOUR).toISOString(),
    })
  })

  it.each([
    ['a single storyboard was run', { isFullRun: false }],
    ['the agent is not public', { isEligible: false }],
    ['the agent is opted out', { isOptedOut: true }],
    ['it must requalify', { needsRequalification: true }],
    ['it does not speak the version', { state: { supports_version: false } }],
    ['it claims nothing stable', { state: { specialisms: ['signed-requests'] } }],
    ['a specialism has no storyboard', { state: { specialisms: ['property-lists'] } }],
    ['its storyboard was not run', { state: { storyboards: [] } }],
    [
      'its storyboard passes in part',
      { state: { storyboards: [result('signal_owned', 'partial')] } },
    ],
    [
      'one of two specialisms of the role is untested',
      {
        state: {
          specialisms: ['audience-sync', 'sales-guaranteed'],
          storyboards: [result('audience_sync', 'passing')],
        },
      },
    ],
  ])('is not issued where %s', (_, more) => {
    expect(updateBadges([], build(more))).toEqual([])
  })

  it.each([
    ['opted_out', { isOptedOut: true }],
    ['not_public', { isEligible: false }],
    ['role_not_declared', { state: { specialisms: ['audience-sync'] } }],
    ['version_not_advertised', { state: { supports_version: false } }],
  ])('is lost at once: %s', (reason, more) => {
    expect(updateBadges([earned!], build(more))[0]).toMatchObject({
      state: 'revoked',
      revoked_for: reason,
    })
  })

  it('degrades when the agent fails, and is lost when that lasts 48 hours', () => {
    const fails = { storyboards: [result('signal_owned', 'failing')] }
    const [degraded] = updateBadges([earned!], build({ state: fails, interval_hours: 168 }))
    expect(degraded).toMatchObject({
      state: 'degraded',
      degraded_at: new Date(START).toISOString(),
    })
    const renewed = { ...degraded!, expires_at: new Date(START + 500 * HOUR).toISOString() }
    expect(expireBadges([renewed], START + 48 * HOUR - 1)[0]!.state).toBe('degraded')
    expect(expireBadges([renewed], START + 48 * HOUR)[0]).toMatchObject({
      state: 'revoked',
      revoked_for: 'not_passing',
    })
    const [again] = updateBadges([renewed], build({ now: START + 47 * HOUR }))
    expect(again).toMatchObject({ state: 'active', degraded_at: null })
  })

  it('degrades when the agent cannot be asked', () => {
    const facts = build({ isTested: false, isFullRun: false })
    expect(updateBadges([earned!], facts)[0]!.state).toBe('degraded')
  })

  it('is prolonged by full runs alone, and expires without them', () => {
    const later = START + 10 * HOUR
    const single = updateBadges([earned!], build({ isFullRun: false, now: later }))
    expect(single[0]!.expires_at).toBe(earned!.expires_at)
    const full = updateBadges([earned!], build({ now: later }))
    expect(full[0]!.expires_at).toBe(new Date(later + 36 * HOUR).toISOString())
    expect(expireBadges([earned!], START + 36 * HOUR)[0]).toMatchObject({ revoked_for: 'expired' })
  })

  it('is earned anew after it was lost', () => {
    const lost = expireBadges([earned!], START + 36 * HOUR)
    const [anew] = updateBadges(lost, build({ now: START + 40 * HOUR }))
    expect(anew).toMatchObject({
      state: 'active',
      verified_at: new Date(START + 40 * HOUR).toISOString(),
    })
  })
})

describe('specialisms', () => {
  it('pass by their storyboard, unless one of their scenarios fails', () => {
    const judge = (...storyboards: CountedResult[]) =>
      judgeSpecialisms({ specialisms: ['signal-marketplace'], storyboards })['signal-marketplace']
    const own = result('signal_marketplace', 'passing')
    expect(judge(own)).toBe('passing')
    expect(judge(own, result('signal_marketplace/governance_denied', 'untested'))).toBe('passing')
    expect(judge(own, result('signal_marketplace/governance_denied', 'partial'))).toBe('failing')
    expect(judge(result('signal_marketplace/governance_denied', 'passing'))).toBe('untested')
  })

  it('of a further version pass by what its bundle says shows them', () => {
    const shown = (status: CountedResult['status']) => ({
      ...result('3.1:signal_owned_anew', status),
      shows: [{ specialism: 'signal-owned', role: 'signals', as: 'storyboard' } as const],
    })
    const scenario = (status: CountedResult['status']) => ({
      ...result('3.1:signal_owned/late', status),
      shows: [{ specialism: 'signal-owned', role: 'signals', as: 'scenario' } as const],
    })
    const judge = (...storyboards: CountedResult[]) =>
      judgeSpecialisms({ specialisms: ['signal-owned'], storyboards })['signal-owned']
    expect(judge(shown('passing'), scenario('passing'))).toBe('passing')
    expect(judge(shown('passing'), scenario('failing'))).toBe('failing')
    expect(judge(scenario('passing'))).toBe('untested')
    expect(judge(result('3.1:signal_owned', 'passing'))).toBe('untested')
    expect(judge(result('signal_owned', 'passing'), shown('failing'))).toBe('failing')
    expect(judge(result('signal_owned', 'failing'), shown('passing'))).toBe('failing')
  })

  it('are those of the installed bundle, each with a badge', () => {
    const [bundle] = listInstalledBundles()
    expect(specialisms).toEqual(Object.fromEntries(bundle!.specialisms))
    expect(Object.values(specialisms).filter(role => !badgeRoles.includes(role))).toEqual([])
  })

  it('are each shown by one storyboard of the installed bundle', () => {
    const shown = listStoryboards().flatMap(listShown)
    const main = shown.filter(({ as }) => as === 'storyboard').map(({ specialism }) => specialism)
    expect(main.sort()).toEqual(Object.keys(specialisms).sort())
  })
})
