import { expect, test } from 'vitest'
import { renderLooks } from '../../../api/pages/parts/brand.tsx'

const toText = (manifest: Record<string, unknown>) =>
  renderLooks({ brand_manifest: manifest })
    ?.toString()
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()

test.each([
  [{ tone: 'Calm and clear' }, 'Tone Calm and clear'],
  [{ tone: { voice: 'Warm', attributes: ['plain', 'brief'] } }, 'Tone Warm, plain, brief'],
  [{ tone: { dos: ['Say you'], donts: ['Shout', 'Joke'] } }, 'Do Say you Don’t Shout Joke'],
  [{ tagline: 'Made slowly' }, 'Tagline Made slowly'],
  [{ tagline: [{ en: 'Made slowly' }, { de: 'Gut Ding' }] }, 'Tagline en Made slowly de Gut Ding'],
])('a brand’s page shows %j as its file has it', (manifest, shown) => {
  expect(toText(manifest)).toBe(`Visual identity and tone ${shown}`)
})

test.each([{}, { tone: 7 }, { tone: [] }, { tone: { voice: {} }, tagline: [null, 3] }])(
  'of %j it shows nothing',
  manifest => expect(toText(manifest)).toBeUndefined(),
)
