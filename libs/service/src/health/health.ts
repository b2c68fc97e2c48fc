// The health of a process. A failing probe names the check that failed and its reason.

export const probes = ['startup', 'live', 'ready', 'progress'] as const
type Probe = (typeof probes)[number]

/** `reason` is a sentence for an operator. */
export type CheckResult = { readonly ok: true; readonly detail?: string } | { readonly ok: false; readonly reason: string }

interface HealthCheck {
  /** Unique within its probe. */
  readonly name: string
  readonly probe: Probe
  check(): CheckResult | Promise<CheckResult>
}

interface HealthReport {
  readonly status: 200 | 503
  readonly body: {
    readonly status: 'OK' | 'UNAVAILABLE'
    readonly version: string
    readonly checks: Readonly<Record<string, CheckResult>>
  }
}

export interface Health {
  /** Returns a function that removes the check. */
  register(check: HealthCheck): () => void
  /** Never rejects. The probe `ready` includes the checks of `startup`, and fails after `drain()`. */
  evaluate(probe: Probe): Promise<HealthReport>
  /** Makes load balancers remove the process. */
  drain(): void
  readonly draining: boolean
}

export interface HealthOptions {
  readonly version?: string
  /** A slower check counts as failed, because the orchestrator's probes have a time limit, too. */
  readonly timeoutMs?: number
}

export const healthy: CheckResult = { ok: true }
export const unhealthy = (reason: string): CheckResult => ({ ok: false, reason })

const evaluateCheck = async (check: HealthCheck, timeoutMs: number): Promise<CheckResult> => {
  const late = Promise.withResolvers<CheckResult>()
  const timer = setTimeout(() => late.resolve(unhealthy(`no response within ${timeoutMs} ms`)), timeoutMs)
  try {
    return await Promise.race([check.check(), late.promise])
  } catch (error) {
    return unhealthy(error instanceof Error ? error.message : String(error))
  } finally {
    clearTimeout(timer)
  }
}

export const createHealth = ({ version = 'unknown', timeoutMs = 2000 }: HealthOptions = {}): Health => {
  const checks = new Set<HealthCheck>()
  let draining = false

  const belongs = (check: HealthCheck, probe: Probe) => check.probe === probe || (probe === 'ready' && check.probe === 'startup')

  return {
    register(check) {
      for (const other of checks) {
        if (other.probe === check.probe && other.name === check.name) {
          throw new Error(`Health check ${check.probe}/${check.name} is registered twice`)
        }
      }
      checks.add(check)
      return () => checks.delete(check)
    },
    async evaluate(probe) {
      const chosen = [...checks].filter(check => belongs(check, probe))
      const results = await Promise.all(chosen.map(async check => [check.name, await evaluateCheck(check, timeoutMs)] as const))
      if (probe === 'ready' && draining) results.push(['draining', unhealthy('the process is stopping')])
      const ok = results.every(([, result]) => result.ok)
      return {
        status: ok ? 200 : 503,
        body: { status: ok ? 'OK' : 'UNAVAILABLE', version, checks: Object.fromEntries(results) },
      }
    },
    drain() {
      draining = true
    },
    get draining() {
      return draining
    },
  }
}
