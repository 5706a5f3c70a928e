import { fileURLToPath } from 'node:url'
import { installOnce } from '../scripts/install-once.ts'

// Installs the workflow engines that the adapters are tested with.
installOnce(fileURLToPath(new URL('.', import.meta.url)), 'the workflow engines')
