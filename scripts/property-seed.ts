import fc from 'fast-check'

// The same cases on every machine, so results change only with the code. To search further: FC_SEED=$RANDOM npm test
fc.configureGlobal({ seed: Number(process.env.FC_SEED ?? 20_261_116) })
