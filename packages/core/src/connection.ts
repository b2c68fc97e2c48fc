// Connection settings of the client and the span processor. Options take precedence over environment variables, and environment variables
// take precedence over defaults.
import { baseUrlProblem } from './api/core/url.ts'
import { getEnv } from './config.ts'
import { SVC_DEFAULT_BASE_URL } from './constants.ts'
import { getGlobalLogger } from './logging/logger.ts'

const defaultTimeoutSeconds = 5

/** The address is used unchanged. An unusable address is logged here, because the errors of later requests explain less. */
export function resolveBaseUrl(option?: string | null): string {
  const baseUrl = option ?? getEnv('SVC_BASE_URL') ?? getEnv('SVC_BASEURL') ?? SVC_DEFAULT_BASE_URL
  const problem = baseUrlProblem(baseUrl)
  if (problem !== undefined) {
    getGlobalLogger().error(`${problem}: every request will fail. Pass baseUrl or set SVC_BASE_URL, for example https://svc.example.com.`)
  }
  return baseUrl
}

/** Time limit of one request, in seconds. */
export function resolveTimeoutSeconds(option?: number | null): number {
  const value = option ?? getEnv('SVC_TIMEOUT')?.trim()
  if (value === undefined || value === '') return defaultTimeoutSeconds
  const seconds = Number(value)
  if (Number.isFinite(seconds) && seconds > 0) return seconds
  const name = option === undefined || option === null ? 'SVC_TIMEOUT' : 'option timeout'
  getGlobalLogger().warn(`The timeout '${value}' (${name}) is not a positive number of seconds. ${defaultTimeoutSeconds} seconds are used.`)
  return defaultTimeoutSeconds
}
