// TLS of a process. All ports share the limits on handshakes. The ports also share one certificate and key, which are reloaded
// periodically.
import type { Server as TlsServer } from 'node:tls'
import { type ClientAddresses, createClientAddresses } from '@svc-server/http/client-address'
import type { ServerTls } from '@svc-server/http/listeners'
import { limitHandshakes } from '@svc-server/http/listeners'
import type { Logger } from '../logs/logger.ts'
import { createSeldomLog } from '../logs/seldom.ts'
import { createMetrics, type MetricRegistry } from '../metrics/registry.ts'
import type { KeyPair } from './key-pair.ts'
import { watchKeyPair } from './key-pair-watch.ts'
import { tlsMetrics } from './metrics.ts'
import type { TlsConfig } from './settings.ts'

interface ServerTlsTools {
  readonly metrics: MetricRegistry
  readonly logger: Logger
}

interface Options {
  readonly config: TlsConfig & { readonly trustedProxies: readonly string[] }
  readonly tools: ServerTlsTools
}

const day = 86_400_000

function createServerTls(files: { readonly certFile: string; readonly keyFile: string }, { config, tools }: Options): ServerTls {
  const { metrics: registry, logger } = tools
  const metrics = createMetrics(tlsMetrics, registry)
  const addresses: Pick<ClientAddresses, 'ofPeer'> = createClientAddresses(config.trustedProxies)
  const seldom = createSeldomLog(logger, Date.now, 'alsoEnded')
  const listening = new Set<TlsServer>()
  let timer: NodeJS.Timeout | undefined

  const pair = watchKeyPair({
    ...files,
    onReplaced(next) {
      for (const server of listening) server.setSecureContext(contextOf(next))
      metrics.tlsReloads.inc({ outcome: 'taken' })
      logger.info(described(next), 'The certificate was replaced; new connections use it')
      warnOfDates(next)
    },
    onFault(fault) {
      metrics.tlsReloads.inc({ outcome: 'refused' })
      logger.warn({ err: fault }, 'The new certificate and key cannot be used; the previous pair stays in use')
    },
  })
  const contextOf = ({ cert, key }: KeyPair) => ({ cert, key, minVersion: config.tlsMinVersion })
  const described = ({ fingerprint, notBeforeMs, notAfterMs }: KeyPair) => ({
    ...files,
    fingerprint,
    validFrom: new Date(notBeforeMs).toISOString(),
    validUntil: new Date(notAfterMs).toISOString(),
  })
  function warnOfDates(current: KeyPair): void {
    const nowMs = Date.now()
    if (nowMs >= current.notAfterMs) logger.warn(described(current), 'The certificate has expired; clients reject it')
    else if (nowMs < current.notBeforeMs) logger.warn(described(current), 'The certificate is not valid yet; clients reject it')
    else if (current.notAfterMs - nowMs < day) logger.warn(described(current), 'The certificate expires within a day')
  }

  const file = { file: files.certFile }
  metrics.tlsNotBefore.onScrape(() => metrics.tlsNotBefore.set(file, pair.current.notBeforeMs / 1000))
  metrics.tlsNotAfter.onScrape(() => metrics.tlsNotAfter.set(file, pair.current.notAfterMs / 1000))
  metrics.tlsFault.onScrape(() => metrics.tlsFault.set(pair.fault === undefined ? 0 : 1))
  warnOfDates(pair.current)

  function follow(server: TlsServer): void {
    server.on('listening', () => {
      // Certificate and key may have changed since the server was created.
      server.setSecureContext(contextOf(pair.current))
      listening.add(server)
      timer ??= setInterval(() => void pair.look(), config.tlsReloadMs).unref()
    })
    server.on('close', () => {
      listening.delete(server)
      if (listening.size > 0) return
      clearInterval(timer)
      timer = undefined
    })
  }

  return {
    options: () => contextOf(pair.current),
    guard(server) {
      follow(server)
      return limitHandshakes(server, {
        ...{ perSecond: config.tlsHandshakesPerSecond, timeoutMs: config.tlsHandshakeTimeoutMs, addresses },
        onEnd(outcome, client) {
          metrics.tlsHandshakes.inc({ outcome })
          if (outcome === 'plaintext') {
            seldom.note(outcome, 'warn', client, 'A client spoke plaintext to a port with TLS: its URL must begin with https://')
          } else if (outcome === 'failed') seldom.note(client.code ?? outcome, 'info', client, 'A TLS handshake failed')
          else if (outcome === 'refused' || outcome === 'timeout') {
            seldom.note(
              outcome,
              'warn',
              client,
              outcome === 'timeout' ? 'A TLS handshake did not finish in time' : 'An address opens too many TLS connections',
            )
          }
        },
      })
    },
  }
}

const shared = new WeakMap<MetricRegistry, ServerTls>()

/**
 * Returns the TLS state, which all servers with the same metric registry share. Returns undefined without TLS. Throws `config_invalid` if
 * the files are unusable.
 */
export function serverTlsOf(config: Options['config'], tools: ServerTlsTools): ServerTls | undefined {
  const { tlsCertFile: certFile, tlsKeyFile: keyFile } = config
  if (certFile === undefined || keyFile === undefined) return undefined
  const tls = shared.get(tools.metrics) ?? createServerTls({ certFile, keyFile }, { config, tools })
  shared.set(tools.metrics, tls)
  return tls
}
