import { identifierTypes } from '../../../pipeline/model/documents/index.ts'
import type { Evidence } from '../../../pipeline/model/responses/authority.ts'
import { Fragment, type Html, h } from '../html/jsx.ts'
import { clipText, renderName } from '../html/text.tsx'
import { toCountryName } from './plain-words.ts'

const COUNTRIES_LINKED_MAX = 12

/** Question of the page, in the names of the API. */
export interface Asked {
  agent_url: string
  identifier_type: string
  identifier_value: string
  /** Domain of the publisher, where no property is named. */
  domain: string
  country: string
  as_of: string
}

/** Builds the address of a question; what it leaves open is not in it. */
export function toQuestionPath({
  ...asked
}: { [Name in keyof Asked]?: string | undefined }): string {
  const { agent_url, identifier_type, identifier_value, domain, country, as_of } = asked
  const named = { agent_url, identifier_type, identifier_value, domain, country, as_of }
  const known = Object.entries(named).filter(([, value]) => value)
  return `/authorization?${new URLSearchParams(known as [string, string][])}`
}

/** Renders the one field that an answer still needs, and the values for which it is a yes. */
export function renderCountryChoice(asked: Asked, evidence: readonly Evidence[]): Html {
  const { agent_url, identifier_type, identifier_value, as_of } = asked
  const known = { agent_url, identifier_type, identifier_value, ...(as_of && { as_of }) }
  const countries = evidence.flatMap(step =>
    step.rule === 'country_not_asked' ? (step.countries ?? []) : [],
  )
  return (
    <form class="filter" action="/authorization" method="get">
      {Object.entries(known).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <span>
        In{' '}
        {[...new Set(countries)].slice(0, COUNTRIES_LINKED_MAX).map((code, index) => (
          <>
            {index === 0 ? null : ' · '}
            <a href={toQuestionPath({ ...known, country: code })}>
              {clipText(toCountryName(code), 40)}
            </a>
          </>
        ))}
      </span>
      <label>
        Another country (two-letter code)
        <input name="country" maxlength="2" required />
      </label>
      <button type="submit">Check</button>
    </form>
  )
}

/** Renders the agents of a host, of which the question has to mean one. */
export function renderAgentChoice(asked: Asked, agents: readonly string[]): Html {
  return (
    <>
      Several agents are at that address. Did you mean{' '}
      {agents.map((agent_url, index) => (
        <>
          {index === 0 ? null : ' or '}
          <a href={toQuestionPath({ ...asked, agent_url })}>{renderName(agent_url, 120)}</a>
        </>
      ))}
      ?
    </>
  )
}

/** Renders the form of a question; `wrong` names the fields that a notice above it explains. */
export function renderAskForm(asked: Asked, wrong: readonly (string | undefined)[] = []): Html {
  const { agent_url, identifier_value, domain, identifier_type, country, as_of } = asked
  const hasMore = identifier_type !== 'domain' || country !== '' || as_of !== ''
  const mark = (...names: string[]) =>
    names.some(name => wrong.includes(name)) && {
      'aria-invalid': 'true',
      'aria-describedby': 'fault',
    }
  return (
    <form class="ask" action="/authorization" method="get">
      <label>
        Agent
        <input
          name="agent_url"
          value={clipText(agent_url, 2_000)}
          placeholder="https://agent.example/mcp"
          {...mark('agent_url', 'agent')}
        />
      </label>
      <label>
        Property
        <input
          name="identifier_value"
          value={clipText(identifier_value || domain, 500)}
          placeholder="acme.example"
          {...mark('identifier_value', 'domain')}
        />
      </label>
      <button type="submit">Check authorization</button>
      <details open={hasMore}>
        <summary>More options</summary>
        <div class="options">
          <label>
            Identifier type
            <input
              name="identifier_type"
              value={clipText(identifier_type, 60)}
              list="identifier-types"
              {...mark('identifier_type')}
            />
            {IDENTIFIER_TYPES}
          </label>
          <label>
            Country
            <input
              name="country"
              value={clipText(country, 10)}
              placeholder="GB"
              {...mark('country')}
            />
          </label>
          <label>
            As of
            <input
              name="as_of"
              value={clipText(as_of, 40)}
              placeholder="2026-11-20 or a time in UTC"
              {...mark('as_of')}
            />
          </label>
        </div>
      </details>
      {LIST}
    </form>
  )
}

const IDENTIFIER_TYPES = (
  <datalist id="identifier-types">
    {identifierTypes.map(type => (
      <option value={type} />
    ))}
  </datalist>
)

const LIST = (
  <p class="aside">
    More than one? <a href="/authorization/list">Check a list</a>
  </p>
)
