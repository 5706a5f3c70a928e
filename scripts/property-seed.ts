import fc from 'fast-check'

// The same cases on every machine, so that a change is judged by what it changed. To look further: FC_SEED=$RANDOM npm test
fc.configureGlobal({ seed: Number(process.env.FC_SEED ?? 20_261_116) })
