import type { AgentRun, StepResult } from '../../pipeline/model/storyboards/storyboard-result.ts'
import { skipReasons } from '../../pipeline/model/storyboards/storyboard-result.ts'

/** A storyboard that was run against an agent. */
export interface TestedStoryboard {
  id: string
  status: AgentRun['status']
  seconds: number
  steps: StepResult[]
}

/** Describes what was wrong with a step, in one line. */
export function describeFailure({ error, validations }: StepResult): string {
  const wrong = validations
    .filter(({ passed }) => !passed)
    .map(({ check, path, expected, actual }) => {
      const place = path === undefined ? '' : ` at ${path}`
      return `${check}${place}: expected ${JSON.stringify(expected)}, found ${JSON.stringify(actual)}`
    })
  return [error, ...wrong].filter(text => text !== undefined).join('; ')
}

/**
 * Builds a report in the format of SARIF 2.1.0, which code hosts show beside the code. They refuse whole reports with
 * places that have a scheme, or no line.
 */
export function buildSarif(url: string, tested: readonly TestedStoryboard[]): object {
  const { host, pathname } = new URL(url)
  const physicalLocation = {
    artifactLocation: { uri: `${encodeURIComponent(host)}${pathname}` },
    region: { startLine: 1 },
  }
  const failed = tested.flatMap(({ id, steps }) =>
    steps.flatMap(step => (step.passed === false ? [{ id, step, rule: findRule(id, step) }] : [])),
  )
  const rules = new Map(
    failed.map(({ rule, step: { guidance } }) => [
      rule,
      {
        id: rule,
        ...(guidance && {
          shortDescription: { text: guidance.sentence },
          help: { text: guidance.fix },
        }),
        ...(guidance?.reference_url !== undefined && { helpUri: guidance.reference_url }),
      },
    ]),
  )
  const results = failed.map(({ id, step, rule }) => ({
    ruleId: rule,
    level: 'error',
    message: { text: `${describeFailure(step)}. ${step.guidance?.fix ?? ''}`.trim() },
    locations: [
      {
        physicalLocation,
        logicalLocations: [{ fullyQualifiedName: `${id}/${step.step}`, kind: 'member' }],
      },
    ],
    partialFingerprints: { rule },
  }))
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      { tool: { driver: { name: 'registry agent test', rules: [...rules.values()] } }, results },
    ],
  }
}

function findRule(storyboard: string, { step, guidance }: StepResult): string {
  return guidance?.rule ?? `${storyboard}/${step}`
}

/** Builds a report in the format of JUnit, which build servers read. */
export function buildJunit(tested: readonly TestedStoryboard[]): string {
  const suites = tested.map(({ id, seconds, steps }) => {
    const cases = steps.map(step => {
      const name = `<testcase classname="${escapeXml(id)}" name="${escapeXml(step.step)}"`
      if (step.passed) return `    ${name} time="${step.duration_ms / 1_000}"/>`
      const inner =
        step.passed === false
          ? `<failure message="${escapeXml(describeFailure(step))}">${escapeXml(step.guidance?.fix ?? '')}</failure>`
          : `<skipped message="${escapeXml(skipReasons[step.skip_reason ?? 'not_applicable'])}"/>`
      return `    ${name}>${inner}</testcase>`
    })
    const failures = steps.filter(({ passed }) => passed === false).length
    const skipped = steps.filter(({ passed }) => passed === null).length
    const counts = `tests="${steps.length}" failures="${failures}" skipped="${skipped}"`
    const open = `  <testsuite name="${escapeXml(id)}" ${counts} time="${seconds}">`
    return [open, ...cases, '  </testsuite>'].join('\n')
  })
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suites.join('\n')}\n</testsuites>\n`
}

const xmlNames: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
}

/** Escapes a text for XML, which has no control characters. */
function escapeXml(text: string): string {
  return text.replace(/[&<>"]/g, sign => xmlNames[sign] ?? sign).replace(/\p{Cc}/gu, ' ')
}
