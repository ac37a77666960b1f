import type { Task } from './task.ts'
import { activateSignal } from './tasks/activate-signal.ts'
import { buildCreativeTask } from './tasks/build-creative.ts'
import { checkGovernance } from './tasks/check-governance.ts'
import { complyTestController } from './tasks/comply-test-controller.ts'
import {
  createContentStandards,
  getContentStandards,
  listContentStandards,
  updateContentStandards,
} from './tasks/content-standards.ts'
import { createMediaBuy } from './tasks/create-media-buy.ts'
import { getBrandIdentity } from './tasks/get-brand-identity.ts'
import { getCapabilities } from './tasks/get-capabilities.ts'
import { getMediaBuyDelivery } from './tasks/get-media-buy-delivery.ts'
import { getMediaBuys } from './tasks/get-media-buys.ts'
import { getPlanAuditLogs } from './tasks/get-plan-audit-logs.ts'
import { getProducts } from './tasks/get-products.ts'
import { getSignals } from './tasks/get-signals.ts'
import { calibrateContent, validateContentDelivery } from './tasks/judge-content.ts'
import { listAccounts } from './tasks/list-accounts.ts'
import { listCreativeFormats } from './tasks/list-creative-formats.ts'
import { listCreatives } from './tasks/list-creatives.ts'
import { listTasks } from './tasks/list-tasks.ts'
import { logEvent } from './tasks/log-event.ts'
import { previewCreative } from './tasks/preview-creative.ts'
import {
  createPropertyList,
  deletePropertyList,
  getPropertyList,
  listPropertyListsTask,
  updatePropertyList,
} from './tasks/property-lists.ts'
import { providePerformanceFeedback } from './tasks/provide-performance-feedback.ts'
import { reportPlanOutcome } from './tasks/report-plan-outcome.ts'
import { syncAccounts } from './tasks/sync-accounts.ts'
import { syncAudiences } from './tasks/sync-audiences.ts'
import { syncCatalogs } from './tasks/sync-catalogs.ts'
import { syncCreatives } from './tasks/sync-creatives.ts'
import { syncEventSources } from './tasks/sync-event-sources.ts'
import { syncGovernance } from './tasks/sync-governance.ts'
import { syncPlans } from './tasks/sync-plans.ts'
import { tasksGet } from './tasks/tasks-get.ts'
import { updateMediaBuy } from './tasks/update-media-buy.ts'
import { validatePropertyDelivery } from './tasks/validate-property-delivery.ts'

/** One agent of several behind the same origin: `POST /<name>/mcp`. */
export interface Tenant {
  name: string
  /** Type of the agent, as brand.json declares it. */
  type: 'sales' | 'signals' | 'creative' | 'governance' | 'brand'
  /** Name that it shows. */
  title: string
  /** Says what it does, in one sentence without a full stop. */
  description: string
  protocols: readonly string[]
  /** Specialisms that it claims: the storyboards of each must pass. */
  specialisms: readonly string[]
  tasks: readonly Task[]
}

export const tenants: readonly Tenant[] = [
  {
    name: 'sales',
    type: 'sales',
    title: 'Reference sales agent',
    description: 'Sells the inventory of several publishers',
    protocols: ['media_buy'],
    specialisms: ['sales-non-guaranteed', 'sales-proposal-mode', 'audience-sync'],
    tasks: [
      getCapabilities,
      syncAccounts,
      listAccounts,
      getProducts,
      listCreativeFormats,
      createMediaBuy,
      updateMediaBuy,
      getMediaBuys,
      getMediaBuyDelivery,
      tasksGet,
      listTasks,
      syncCreatives,
      listCreatives,
      syncAudiences,
      syncCatalogs,
      syncEventSources,
      logEvent,
      providePerformanceFeedback,
      syncGovernance,
      complyTestController,
    ],
  },
  {
    name: 'signals',
    type: 'signals',
    title: 'Reference signals agent',
    description: 'Offers audiences and activates them',
    protocols: ['signals'],
    specialisms: ['signal-marketplace', 'signal-owned'],
    tasks: [
      getCapabilities,
      syncAccounts,
      listAccounts,
      getSignals,
      activateSignal,
      complyTestController,
    ],
  },
  {
    name: 'creative',
    type: 'creative',
    title: 'Reference creative agent',
    description: 'Defines creative formats, and stores and previews creatives',
    protocols: ['creative'],
    specialisms: [],
    tasks: [
      getCapabilities,
      syncAccounts,
      listAccounts,
      listCreativeFormats,
      syncCreatives,
      listCreatives,
      previewCreative,
      buildCreativeTask,
      complyTestController,
    ],
  },
  {
    name: 'creative-builder',
    type: 'creative',
    title: 'Reference creative builder',
    description: 'Makes creatives from other creatives, or from a brand and its offerings',
    protocols: ['creative'],
    specialisms: ['creative-template', 'creative-generative'],
    tasks: [
      getCapabilities,
      syncAccounts,
      listAccounts,
      listCreativeFormats,
      buildCreativeTask,
      previewCreative,
      syncCreatives,
      listCreatives,
      complyTestController,
    ],
  },
  {
    name: 'governance',
    type: 'governance',
    title: 'Reference governance agent',
    description: 'Checks purchases against plans, and content and delivery against lists and rules',
    protocols: ['governance'],
    specialisms: ['governance-spend-authority', 'property-lists', 'content-standards'],
    tasks: [
      getCapabilities,
      syncAccounts,
      listAccounts,
      syncPlans,
      checkGovernance,
      reportPlanOutcome,
      getPlanAuditLogs,
      createPropertyList,
      getPropertyList,
      updatePropertyList,
      listPropertyListsTask,
      validatePropertyDelivery,
      deletePropertyList,
      createContentStandards,
      getContentStandards,
      updateContentStandards,
      listContentStandards,
      calibrateContent,
      validateContentDelivery,
      complyTestController,
    ],
  },
  {
    name: 'brand',
    type: 'brand',
    title: 'Reference brand agent',
    description: 'Serves the identity of brands',
    protocols: ['brand'],
    specialisms: [],
    tasks: [getCapabilities, getBrandIdentity],
  },
]
