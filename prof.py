from scratch import *
import cProfile,pstats
A.adapt(clip,[*plants,pin],floor=True,joints=JOINTS,exact=True,steps=1)
ts=[]
for _ in range(6):
    r=A.adapt(clip,[*plants,pin],floor=True,joints=JOINTS,exact=True,steps=8); ts.append(r.seconds)
print('best',min(ts), ts); show(r)
pr=cProfile.Profile(); pr.enable(); r=A.adapt(clip,[*plants,pin],floor=True,joints=JOINTS,exact=True,steps=8); pr.disable()
pstats.Stats(pr).sort_stats('tottime').print_stats(26)
