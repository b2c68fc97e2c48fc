// TLS settings of client ports. Probes are served without TLS, because orchestrators reach them by address.
import { mapped, setting } from '../configuration/setting.ts'

export const tlsSettings = {
  tlsCertFile: setting.text({
    env: 'SVC_TLS_CERT_FILE',
    optional: true,
    valid: 'a path',
    says: 'PEM file of the certificate with its chain. With SVC_TLS_KEY_FILE, every client port accepts only TLS; the port of probes and metrics does not use TLS. Replaced files are loaded without a restart.',
  }),
  tlsKeyFile: setting.text({
    env: 'SVC_TLS_KEY_FILE',
    optional: true,
    valid: 'a path',
    says: 'PEM file of the certificate’s key, not encrypted.',
  }),
  tlsMinVersion: mapped(
    setting.choice(['1.2', '1.3'], { env: 'SVC_TLS_MIN_VERSION', default: '1.2', says: 'Oldest accepted TLS version.' }),
    version => `TLSv${version}` as const,
  ),
  tlsReloadMs: setting.durationMs({
    env: 'SVC_TLS_RELOAD_INTERVAL_MS',
    default: '10s',
    min: 50,
    max: 3_600_000,
    says: 'How often the certificate file and the key file are read again. If the certificate does not match the key, the previous pair stays in use.',
  }),
  tlsHandshakeTimeoutMs: setting.durationMs({
    env: 'SVC_TLS_HANDSHAKE_TIMEOUT_MS',
    default: '10s',
    min: 50,
    max: 120_000,
    says: 'Maximum time for the TLS handshake after a connection opens. If a handshake takes longer, the server closes the connection.',
  }),
  tlsHandshakesPerSecond: setting.integer({
    env: 'SVC_TLS_HANDSHAKES_PER_SECOND',
    default: 100,
    min: 1,
    max: 100_000,
    says: 'Maximum TLS handshakes per second of one address (IPv6: one /64). An address can use all handshakes of a second in one burst. The server closes further connections. The addresses in SVC_TRUSTED_PROXIES are exempt.',
  }),
}

export interface TlsConfig {
  readonly tlsCertFile?: string | undefined
  readonly tlsKeyFile?: string | undefined
  readonly tlsMinVersion: 'TLSv1.2' | 'TLSv1.3'
  readonly tlsReloadMs: number
  readonly tlsHandshakeTimeoutMs: number
  readonly tlsHandshakesPerSecond: number
}

/** Returns the problems of the settings. Problems of the files are reported later, when the process reads the files. */
export function tlsProblems({ tlsCertFile, tlsKeyFile }: Pick<TlsConfig, 'tlsCertFile' | 'tlsKeyFile'>): readonly string[] {
  if ((tlsCertFile === undefined) === (tlsKeyFile === undefined)) return []
  const [set, missing] = tlsCertFile === undefined ? ['KEY', 'CERT'] : ['CERT', 'KEY']
  return [`SVC_TLS_${set}_FILE is set and SVC_TLS_${missing}_FILE is not, but TLS needs both. Set both, or neither.`]
}
