import { createHash } from 'node:crypto'
import type { Domain } from '../../pipeline/core/domain.ts'
import { toHostingBase } from '../../pipeline/model/hosted.ts'
import { parseFormDomain } from '../inputs/workshop-form.ts'
import { type Draft, PUBLISH_PATH } from '../pages/draft.ts'
import { type Child, Fragment, h } from '../pages/html/jsx.ts'
import { renderName } from '../pages/html/text.tsx'
import { renderSection } from '../pages/parts/blocks.tsx'
import { renderChangedFields } from '../pages/parts/changed-fields.tsx'
import { compareFiles } from '../pages/parts/compare-documents.ts'
import { canEdit, type DashboardRequest } from './dashboard-request.ts'
import { hasProof } from './domain-rights.ts'
import { findFormFault, type Refusal, renderDomainField } from './field.tsx'
import { COMPARED, FIXED, hashHosted, readHosted, renderOwnFile } from './hosted-file.tsx'
import { buildPreview, namePointer, renderPointer, renderPreview } from './hosted-preview.tsx'
import { NEW_NAME, renderOrganizationField } from './own-organization.tsx'
import {
  type DashboardAnswer,
  renderFault,
  renderHidden,
  renderToken,
  toEntryPath,
} from './page.tsx'
import { findBrandName } from './publish-file.ts'
import { showViewed } from './viewing.tsx'

/** Field with the hash of the file whose review was shown: nothing else is published. */
export const REVIEWED = 'previewed'

export function hashFile(domain: string, text: string): string {
  return createHash('sha256').update(`${domain}\n${text}`).digest('hex')
}

const CHANGED =
  'The hosted file has changed since you opened it. Review again what your version changes.'

interface ShownWith {
  fault?: string | undefined
  /** The field that the fault is about, if it is a single one. */
  field?: string | undefined
  holder?: string | undefined
  marked?: Child
  /** True if the file has to change before it can be published. */
  isHeld?: boolean
}

/** Shows what publishing a file would do, or why it cannot be published, and the form that goes on with it. */
export async function showReview(
  context: DashboardRequest,
  draft: Draft,
  { fault, field, holder, marked, isHeld = false }: ShownWith = {},
): Promise<DashboardAnswer> {
  const { services } = context
  const { kind, domain, text } = draft
  const viewed = showViewed(context, `Host the ${kind}`)
  if (viewed) return viewed
  const parsed = parseFormDomain(domain)
  const own = parsed && (await renderOwnFile(context, kind, parsed))
  const preview =
    own || isHeld
      ? undefined
      : parsed && buildPreview({ kind, domain: parsed, text }, services.clock.now())
  const before = own || !parsed ? undefined : (await readHosted(context, kind, parsed)).text
  const isNew = before === undefined
  const { form } = context
  const isStale = form.has(COMPARED) && form.get(COMPARED) !== hashHosted(before)
  const changes = isNew || !preview ? undefined : compareFiles(JSON.parse(before), preview.file)
  const change = preview === undefined ? 'Edit' : 'Review your change to'
  const title = `${isNew ? 'Host' : change} the ${kind}`
  const owner = findOwner(context, parsed)
  const baseUrl = services.baseUrl()
  const body = (
    <>
      <h1>
        {title}
        {parsed ? <> of {renderName(parsed)}</> : null}
      </h1>
      <p class="lead">
        {preview === undefined
          ? 'You can review what will be served before it is published.'
          : 'Nothing is published yet. Check below what will be served.'}
      </p>
      {renderFault(findFormFault({ refused: fault, field }, ['domain', NEW_NAME]))}
      {isStale ? renderFault(CHANGED) : null}
      {own ?? null}
      {preview === undefined ? (marked ?? null) : null}
      {changes && renderSection('change', 'What changes', renderDifference(changes))}
      {preview !== undefined && marked ? renderSection('marked', 'Warnings', marked) : null}
      <form method="post" action={PUBLISH_PATH} class="editor">
        {renderToken(context.token)}
        <input type="hidden" name="kind" value={kind} />
        {renderSubject(context, draft, {
          owner,
          isChange: !isNew,
          isHeld,
          refusal: { refused: fault, field, holder },
        })}
        {renderText(text, preview !== undefined)}
        {preview && parsed ? renderPreview({ kind, domain: parsed, text }, preview, baseUrl) : null}
        {renderHidden({
          [REVIEWED]: preview && hashFile(domain, text),
          [COMPARED]: hashHosted(before),
        })}
        {renderSteps(context, owner, {
          domain: parsed,
          isReady: preview !== undefined,
          isUnchanged: changes?.length === 0,
        })}
        {isNew && preview && parsed && toHostingBase(baseUrl) !== undefined
          ? renderSection('pointer', namePointer(baseUrl), renderPointer(kind, parsed, baseUrl))
          : null}
      </form>
    </>
  )
  return { status: fault === undefined && !isStale ? 200 : 400, title, body }
}

/** Renders the field with the file, folded while the page shows what it becomes. */
function renderText(text: string, isFolded: boolean): Child {
  const field = (
    <>
      <label for="text">The file</label>
      <textarea id="text" name="text" rows="18" spellcheck="false" wrap="off" required>
        {text}
      </textarea>
    </>
  )
  if (!isFolded) return field
  return (
    <details class="raw">
      <summary>Edit the file</summary>
      {field}
      <button type="submit" class="plain" name="do" value="preview">
        Review
      </button>
    </details>
  )
}

/** Renders the next step: a review, else the proof of the domain, else what publishes the file. */
function renderSteps(
  context: DashboardRequest,
  owner: string | undefined,
  {
    domain,
    isReady,
    isUnchanged,
  }: { domain: Domain | undefined; isReady: boolean; isUnchanged: boolean },
): Child {
  const isProven = domain !== undefined && hasProof(context, owner, domain)
  const next = isProven ? 'Publish' : `Continue: verify ${domain}`
  return (
    <div class="row">
      {isUnchanged ? null : <button type="submit">{isReady ? next : 'Review'}</button>}
      {owner && domain ? <a href={toEntryPath(owner, domain)}>Cancel</a> : null}
    </div>
  )
}

/** Finds the organization for which a file is hosted: the chosen one, else one that may publish for the domain. */
function findOwner(context: DashboardRequest, domain: Domain | undefined): string | undefined {
  const { memberships, form } = context
  const editors = memberships.filter(canEdit).map(({ org_id }) => org_id)
  const chosen = editors.find(org => org === form.get('org'))
  const proven = domain && editors.find(org => hasProof(context, org, domain))
  return chosen ?? proven ?? editors[0]
}

/** Renders the fields that say for whom a file is hosted: chosen for a new one, fixed for a change. */
function renderSubject(
  context: DashboardRequest,
  { kind, domain, text, brandName = '' }: Draft,
  {
    owner,
    isChange,
    isHeld,
    refusal,
  }: { owner: string | undefined; isChange: boolean; isHeld: boolean; refusal: Refusal },
): Child {
  const parsed = kind === 'brand.json' ? parseFormDomain(domain) : undefined
  // Of a file that has to change first nobody knows yet whether it names its brand.
  const asksName =
    !isHeld &&
    parsed !== undefined &&
    findBrandName({ domain: parsed, text }, context.services.clock.now()) === undefined
  const { form } = context
  const isFixed = (isChange || form.has(FIXED)) && owner !== undefined && owner === form.get('org')
  return (
    <>
      {isFixed ? (
        renderHidden({ org: owner, domain, [FIXED]: 'yes' })
      ) : (
        <>
          {renderOrganizationField(context, refusal, owner)}
          {renderDomainField({ refusal, value: domain })}
        </>
      )}
      {asksName ? (
        <>
          <label for="name">Name of the brand</label>
          <input id="name" name="brand_name" value={brandName} required maxlength="200" />
        </>
      ) : (
        renderHidden({ brand_name: brandName || undefined })
      )}
    </>
  )
}

/** Renders what a change does to the served file. */
function renderDifference(changes: ReturnType<typeof compareFiles>): Child {
  return changes.length === 0 ? (
    <p class="empty">No changes: this version is already being served.</p>
  ) : (
    renderChangedFields(changes, true)
  )
}
