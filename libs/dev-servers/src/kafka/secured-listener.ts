// Sets up TLS and a user for a broker's listener. The module uses keytool, a program of Java.
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

export interface SecuredClients {
  /** The user can authenticate with SCRAM-SHA-256 or PLAIN. */
  readonly user: string
  readonly password: string
  /** The self-signed certificate contains only this name. */
  readonly hostName: string
}

export interface SecuredListener {
  readonly properties: Readonly<Record<string, string>>
  /** Arguments for the tool that formats a broker's directory. */
  readonly formatArguments: readonly string[]
  /** PEM. */
  readonly certificateFile: string
}

const run = promisify(execFile)
const storePassword = 'changeit'

export async function securedListener(directory: string, { user, password, hostName }: SecuredClients): Promise<SecuredListener> {
  const keystore = join(directory, 'broker.p12')
  const certificateFile = join(directory, 'broker.pem')
  const store = ['-alias', 'broker', '-keystore', keystore, '-storetype', 'PKCS12', '-storepass', storePassword]
  const named = ['-dname', `CN=${hostName}`, '-ext', `san=dns:${hostName}`]
  await run('keytool', ['-genkeypair', '-keyalg', 'EC', '-groupname', 'secp256r1', '-validity', '2', ...named, ...store])
  writeFileSync(certificateFile, (await run('keytool', ['-exportcert', '-rfc', ...store])).stdout)

  const logins = 'org.apache.kafka.common.security'
  return {
    certificateFile,
    formatArguments: ['--add-scram', `SCRAM-SHA-256=[name=${user},password=${password}]`],
    properties: {
      'listener.security.protocol.map': 'CLIENT:SASL_SSL,INTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT',
      'sasl.enabled.mechanisms': 'SCRAM-SHA-256,PLAIN',
      'listener.name.client.scram-sha-256.sasl.jaas.config': `${logins}.scram.ScramLoginModule required;`,
      'listener.name.client.plain.sasl.jaas.config': `${logins}.plain.PlainLoginModule required user_${user}="${password}";`,
      'ssl.keystore.type': 'PKCS12',
      'ssl.keystore.location': keystore,
      'ssl.keystore.password': storePassword,
      'ssl.key.password': storePassword,
    },
  }
}
