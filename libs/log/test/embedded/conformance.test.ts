// Holds the embedded log to the contract that both adapters share.
import { conformance, owning } from '../conformance/index.ts'
import { embedded } from './adapter.ts'

conformance(embedded)
owning(embedded)
