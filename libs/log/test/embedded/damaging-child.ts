// Removes one batch from a closed log. Arguments: DIRECTORY TOPIC PARTITION NUMBER.
import { open } from 'lmdb'

const [directory = '', topic = '', partition = '', number = ''] = process.argv.slice(2)
const root = open({ path: directory, noSubdir: false, overlappingSync: false, maxDbs: 8 })
const binary = { encoding: 'binary', keyEncoding: 'binary' } as const
const index = root.openDB<Buffer, Buffer>({ name: 'index', ...binary })
const batches = root.openDB<Buffer, Buffer>({ name: 'batches', ...binary })
const partitions = root.openDB<{ id: number }, [string, number]>({ name: 'partitions', encoding: 'json' })
const { id } = partitions.get([topic, Number(partition)])!
const keys = [...index.getKeys()].map(key => Buffer.from(key)).filter(key => key.readUInt32BE(0) === id)
const key = keys[Number(number)]!
await index.remove(key)
await batches.remove(key)
await root.close()
