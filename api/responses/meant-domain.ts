import { type Domain, stripWww } from '../../pipeline/core/domain.ts'

/** Finds the domain without `www.` that was probably meant, as a member of the answer about one that is unknown. */
export function findMeantDomain(
  domain: string,
  isKnown: (meant: Domain) => boolean,
): { did_you_mean?: [Domain] } {
  const meant = stripWww(domain)
  return meant !== undefined && isKnown(meant) ? { did_you_mean: [meant] } : {}
}

/** Lists what an answer depends on that may name the domain without `www.`. */
export function listMeantDomainKeys(
  domain: string,
  listKeys: (meant: Domain) => string[],
): string[] {
  const meant = stripWww(domain)
  return meant === undefined ? [] : listKeys(meant)
}
