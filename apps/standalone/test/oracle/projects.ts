// Creates two projects on one server, each with its own client.
import { authorization, type Instance } from '../instance.ts'
import { type Client, createClient, type Row } from './client.ts'

export const adminKey = 'admin-key-of-the-oracle'

const basic = ({ publicKey, secretKey }: Row) => `Basic ${Buffer.from(`${publicKey}:${secretKey}`).toString('base64')}`

export async function clientsOf({ ports }: Instance): Promise<readonly [Client, Client]> {
  const root = `http://127.0.0.1:${ports.PORT}`
  const api = `${root}/api/public`
  const key = await createClient(`${root}/api/admin`, `Bearer ${adminKey}`).send('POST', '/organizations/default-org/apiKeys', {
    note: 'oracle',
  })
  const organization = createClient(api, basic(key))
  const { id } = await organization.send('POST', '/projects', { name: 'second', retention: 0, metadata: {} })
  const keyOfSecond = await organization.send('POST', `/projects/${id}/apiKeys`, { note: 'oracle' })
  return [createClient(api, authorization), createClient(api, basic(keyOfSecond))]
}

export async function projectIdOf(client: Client): Promise<string> {
  const projects = (await client.get('/projects', {})).body['data'] as readonly { readonly id: string }[]
  return projects[0]!.id
}
