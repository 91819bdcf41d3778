/** What a key may do in a minute where nothing else is said (service.md, Limits). */
const usualAMinute = 600

/**
 * The own limit of a route that costs more than others, as `config.rateLimit`: so many requests of a key where keys have
 * the usual limit, and more or less where the operator gives them another.
 */
export function routeLimit(
  rateLimitAMinute: number,
  { requests, seconds }: { readonly requests: number; readonly seconds: number },
): { max: number; timeWindow: number } {
  const max = Math.max(1, Math.round((requests * rateLimitAMinute) / usualAMinute))
  return { max, timeWindow: seconds * 1000 }
}
