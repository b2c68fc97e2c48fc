// Tests the embedded log against the contract of both adapters.
import { conformance, owning } from '../conformance/index.ts'
import { embedded } from './adapter.ts'

conformance(embedded)
owning(embedded)
