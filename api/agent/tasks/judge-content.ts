import { z } from 'zod'
import { AccountRef, CallersId } from '../accounts.ts'
import { Artifact, findStandards } from '../governance/content-standards.ts'
import { judgeContent } from '../governance/judge-content.ts'
import { defineTask } from '../task.ts'

const RECORDS_MAX = 10_000

const Place = z.object({ standards_id: CallersId, account: AccountRef.optional() })

export const calibrateContent = defineTask({
  name: 'calibrate_content',
  title: 'Try content standards',
  description: 'Judges content by the current rules and gives a reason for each rule',
  input: Place.extend({ artifact: Artifact }),
  mutates: true,
  run({ standards_id, account, artifact }, context) {
    const { verdict, features } = judgeContent(
      artifact,
      findStandards(standards_id, account, context),
    )
    const broken = features.filter(({ status }) => status === 'failed')
    const explanation =
      broken.length === 0
        ? 'No rule that must be kept is broken'
        : broken.map(({ feature_id, explanation }) => `${feature_id}: ${explanation}`).join('; ')
    return { verdict, explanation, features, sandbox: true }
  },
})

export const validateContentDelivery = defineTask({
  name: 'validate_content_delivery',
  title: 'Check delivery by content standards',
  description: 'Judges the content next to which ads were shown, record by record',
  input: Place.extend({
    records: z
      .array(
        z.looseObject({
          record_id: CallersId,
          artifact: Artifact,
          channel: z.string().optional(),
        }),
      )
      .min(1)
      .max(RECORDS_MAX),
    feature_ids: z.array(z.string()).min(1).optional().describe('Only these rules'),
    include_passed: z.boolean().default(true),
  }),
  run({ standards_id, account, records, feature_ids, include_passed }, context) {
    const standards = findStandards(standards_id, account, context)
    const judged = records.map(({ record_id, artifact, channel }) => {
      const features = judgeContent(artifact, standards, channel).features.filter(
        ({ feature_id }) => !feature_ids || feature_ids.includes(feature_id),
      )
      const isBroken = features.some(({ status }) => status === 'failed')
      return { record_id, verdict: isBroken ? 'fail' : 'pass', features }
    })
    const failed = judged.filter(({ verdict }) => verdict === 'fail')
    return {
      summary: {
        total_records: judged.length,
        passed_records: judged.length - failed.length,
        failed_records: failed.length,
      },
      results: include_passed ? judged : failed,
      sandbox: true,
    }
  },
})
