// Runs an attack until the parent process ends or sends a message.
import { seen } from './connections.ts'
import { kinds, type Target } from './kinds.ts'

const [kind = '', target = '{}'] = process.argv.slice(2)
process.on('disconnect', () => process.exit(0))
process.on('message', () => process.send!(seen, () => process.exit(0)))
kinds[kind]!(JSON.parse(target) as Target)
process.send!('started')
