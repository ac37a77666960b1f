import type { Limits } from '../../pipeline/core/limits.ts'
import type { Operation } from '../operation/operation.ts'

const saves = ['savesPerHour', 'savesPerOrganizationHour', 'savesPerOrganizationDay'] as const
const crawls = ['crawlRequestsPerHour', 'crawlRequestDomainSeconds'] as const

/** Limits that handlers count towards themselves, by the id of their operation. */
const countedByHandlers: Readonly<Record<string, readonly (keyof Limits)[]>> = {
  requestCrawl: crawls,
  requestBrandCrawl: crawls,
  requestManagerRevalidation: crawls,
  forceBrandCrawl: crawls,
  revalidatePublisher: crawls,
  resolveIdentifiers: saves,
  compareStoryboard: ['storyboardRunsPerHour'],
  runAgentStoryboard: ['storyboardRunsPerHour'],
  refreshAgent: ['storyboardRunsPerHour'],
  runAgentStoryboardStep: ['storyboardStepsPerHour'],
  listApplicableStoryboards: ['storyboardStepsPerHour'],
  testAgentClientCredentials: ['storyboardStepsPerHour'],
  createSubscription: ['receiverQuestionsPerHour'],
  resumeSubscription: ['receiverQuestionsPerHour'],
  testSubscription: ['receiverQuestionsPerHour'],
}

/** Lists the limits of requests that an operation counts towards. */
export function listCountedLimits({
  id,
  limit,
  quota,
}: Pick<Operation, 'id' | 'limit' | 'quota'>): readonly (keyof Limits)[] {
  return [
    ...(limit === 'bulk' ? (['bulkResolvePerMinute'] as const) : []),
    ...(quota === 'saves' ? saves : []),
    ...(countedByHandlers[id] ?? []),
  ]
}
