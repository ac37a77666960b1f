import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { promises } from './promises.ts'
import { listRowNames, listTitles, root } from './titles.ts'

const joinLines = (text: string) => text.replace(/\s+/g, ' ')
const page = joinLines(readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8'))

describe('ARCHITECTURE.md', () => {
  test.each(promises)('promises “$says”, which a test shows', ({ says, file, title }) => {
    expect(page).toContain(joinLines(says))
    expect(existsSync(join(root, file)), file).toBe(true)
    expect([...listTitles(file), ...listRowNames(file)]).toContain(title)
  })
})
