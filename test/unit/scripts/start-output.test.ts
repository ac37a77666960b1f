import { describe, expect, it } from 'vitest'
import { describeUnreached } from '../../../scripts/commands/start-output.ts'

const found = (...outcomes: [outcome: string, files: number][]) =>
  outcomes.map(([outcome, files]) => ({ kind: 'brand.json', outcome, files }))

describe('a crawl that reached no server', () => {
  it('says so and why, the most common reason first', () => {
    const text = describeUnreached(300, found(['timeout', 8], ['dns_failed', 592]))
    expect(text).toContain('none of the 300 domains could be reached')
    expect(text).toMatch(
      /the name does not resolve \(dns_failed, 592 files\);.*\(timeout, 8 files\)/,
    )
  })

  it('is not reported where any server answered, though with nothing usable', () => {
    expect(describeUnreached(300, found(['dns_failed', 599], ['absent', 1]))).toBeUndefined()
    expect(describeUnreached(300, found(['timeout', 1], ['server_error', 1]))).toBeUndefined()
  })

  it('is not reported before any file was tried', () => {
    expect(describeUnreached(300, [])).toBeUndefined()
  })
})
